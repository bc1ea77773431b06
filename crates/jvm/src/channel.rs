//! One conversation with a bridge class: a request goes into a Java array that is used again and again, one method is
//! called, the answer comes out of the same array. No object is made on either side of the boundary.

use jni::objects::{GlobalRef, JByteArray, JMethodID, JObject, JThrowable, JValue};
use jni::signature::{Primitive, ReturnType};
use jni::{JNIEnv, sys};

use crate::machine::machine;
use crate::wire::{Answer, put_bytes, put_number};

/// An exception of the Java side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Names of its class, of its superclasses, and of those of its causes, outermost first.
    pub classes: Vec<String>,
    /// Its words and those of its causes.
    pub message: String,
}

impl Failure {
    /// Whether it, or one of its causes, is of this class; `name` is without the package.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.classes
            .iter()
            .any(|class| class.rsplit(['.', '$']).next() == Some(name))
    }

    fn machine(reason: impl Into<String>) -> Self {
        Self {
            classes: Vec::new(),
            message: reason.into(),
        }
    }
}

/// A bridge object, with the arrays of both sides. It may move to another thread; one thread uses it at a time.
pub struct Channel {
    object: GlobalRef,
    call: JMethodID,
    array: GlobalRef,
    capacity: usize,
    request: Vec<u8>,
    answer: Vec<i8>,
    bytes: Vec<u8>,
}

impl Channel {
    pub(crate) fn new(
        environment: &mut JNIEnv<'_>,
        object: &JObject<'_>,
    ) -> Result<Self, jni::errors::Error> {
        let class = environment.get_object_class(object)?;
        let call = environment.get_method_id(&class, "call", "(II)I")?;
        let array = reserve(environment, object, 0)?;
        let capacity = environment.get_array_length(&array)? as usize;
        Ok(Self {
            object: environment.new_global_ref(object)?,
            call,
            array: environment.new_global_ref(&array)?,
            capacity,
            request: Vec::new(),
            answer: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Begins a request.
    pub fn begin(&mut self) -> &mut Self {
        self.request.clear();
        self
    }

    /// Appends a number to the request.
    pub fn number(&mut self, number: u32) -> &mut Self {
        put_number(&mut self.request, number);
        self
    }

    /// Appends a byte string to the request.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        put_bytes(&mut self.request, bytes);
        self
    }

    /// Sends the request and waits for the answer.
    ///
    /// # Errors
    /// The exception that the Java side ended with.
    pub fn call(&mut self, operation: u32) -> Result<Answer<'_>, Failure> {
        let machine = machine().map_err(|error| Failure::machine(error.0))?;
        let mut environment = machine
            .attach_current_thread_as_daemon()
            .map_err(|error| Failure::machine(error.to_string()))?;
        let length = match self.exchange(&mut environment, operation) {
            Ok(length) => length,
            Err(error) => {
                let reason = describe_exception(&mut environment);
                return Err(Failure::machine(reason.unwrap_or_else(|| error.to_string())));
            }
        };
        if length >= 0 {
            return Ok(Answer::new(&self.bytes));
        }
        let mut answer = Answer::new(&self.bytes);
        Err(Failure {
            classes: answer.text().split_whitespace().map(str::to_owned).collect(),
            message: answer.text(),
        })
    }

    fn exchange(&mut self, environment: &mut JNIEnv<'_>, operation: u32) -> Result<i32, jni::errors::Error> {
        if self.request.len() > self.capacity {
            self.grow(environment, self.request.len())?;
        }
        self.answer.clear();
        self.answer
            .extend(self.request.iter().map(|byte| byte.cast_signed()));
        let array: &JByteArray<'_> = self.array.as_obj().into();
        environment.set_byte_array_region(array, 0, &self.answer)?;
        let arguments = [
            JValue::Int(operation.cast_signed()).as_jni(),
            JValue::Int(self.request.len() as i32).as_jni(),
        ];
        let result = self.invoke(environment, &arguments)?;
        let length = if result < 0 { -1 - result } else { result } as usize;
        if length > self.capacity {
            // The answer did not fit and lies in a new array.
            self.grow(environment, length)?;
        }
        self.answer.resize(length, 0);
        let array: &JByteArray<'_> = self.array.as_obj().into();
        environment.get_byte_array_region(array, 0, &mut self.answer)?;
        self.bytes.clear();
        self.bytes
            .extend(self.answer.iter().map(|byte| byte.cast_unsigned()));
        Ok(result)
    }

    #[expect(
        unsafe_code,
        reason = "a method looked up once is called by its id, which spares a look-up per call"
    )]
    fn invoke(
        &self,
        environment: &mut JNIEnv<'_>,
        arguments: &[sys::jvalue],
    ) -> Result<i32, jni::errors::Error> {
        // SAFETY: `call` is the id of the method of this object's class with two ints as arguments and an int as result;
        // the object keeps its class loaded.
        unsafe {
            environment.call_method_unchecked(
                &self.object,
                self.call,
                ReturnType::Primitive(Primitive::Int),
                arguments,
            )
        }?
        .i()
    }

    fn grow(&mut self, environment: &mut JNIEnv<'_>, length: usize) -> Result<(), jni::errors::Error> {
        let (array, capacity) = environment.with_local_frame(8, |environment| {
            let array = reserve(environment, self.object.as_obj(), length as i32)?;
            let capacity = environment.get_array_length(&array)? as usize;
            Ok::<_, jni::errors::Error>((environment.new_global_ref(&array)?, capacity))
        })?;
        self.array = array;
        self.capacity = capacity;
        Ok(())
    }

    /// The channel that the last call opened.
    ///
    /// # Errors
    /// When it opened none.
    pub fn take_child(&mut self) -> Result<Self, Failure> {
        let machine = machine().map_err(|error| Failure::machine(error.0))?;
        let mut environment = machine
            .attach_current_thread_as_daemon()
            .map_err(|error| Failure::machine(error.to_string()))?;
        let made = environment.with_local_frame(8, |environment| {
            let child = environment
                .call_method(&self.object, "takeChild", "()Ldbdyno/Channel;", &[])?
                .l()?;
            Self::new(environment, &child)
        });
        made.map_err(|error| {
            Failure::machine(describe_exception(&mut environment).unwrap_or_else(|| error.to_string()))
        })
    }
}

fn reserve<'local>(
    environment: &mut JNIEnv<'local>,
    object: &JObject<'_>,
    length: i32,
) -> Result<JByteArray<'local>, jni::errors::Error> {
    let array = environment
        .call_method(object, "reserve", "(I)[B", &[JValue::Int(length)])?
        .l()?;
    Ok(array.into())
}

/// The exception that waits on this thread, in words; it is taken away.
pub fn describe_exception(environment: &mut JNIEnv<'_>) -> Option<String> {
    if !environment.exception_check().unwrap_or(false) {
        return None;
    }
    let exception: JThrowable<'_> = environment.exception_occurred().ok()?;
    environment.exception_clear().ok()?;
    let text = environment
        .call_method(&exception, "toString", "()Ljava/lang/String;", &[])
        .and_then(|value| value.l());
    let text = text.ok()?.into();
    let text = environment.get_string(&text).ok()?;
    Some(text.into())
}
