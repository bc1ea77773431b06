//! One conversation with a bridge class: a request goes into memory that both sides see, one method is called, the answer
//! lies in the same memory. No object is made on either side of the boundary.

use dbdyno_driver::Fields;
use jni::objects::{GlobalRef, JMethodID, JObject};
use jni::{JNIEnv, sys};

use crate::machine::{describe_exception, machine};
use crate::shared_memory::SharedMemory;
use crate::wire::{Reply, put_bytes, put_number};

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

/// In place of a field's index, -1 to Java: all of them, however the database likes.
const ALL_FIELDS: u32 = (-1_i32).cast_unsigned();
/// In place of a field's index, -2 to Java: all of them, by their names.
const ALL_FIELDS_BY_NAME: u32 = (-2_i32).cast_unsigned();

/// In the result of a call: the answer lies in another buffer than before.
const MOVED: usize = 1 << 30;

/// A bridge object, with the memory that it shares. It may move to another thread; one thread uses it at a time.
pub struct Channel {
    object: GlobalRef,
    call: JMethodID,
    memory: SharedMemory,
    request: Vec<u8>,
}

impl Channel {
    pub(crate) fn new(
        environment: &mut JNIEnv<'_>,
        object: &JObject<'_>,
    ) -> Result<Self, jni::errors::Error> {
        let class = environment.get_object_class(object)?;
        let call = environment.get_method_id(&class, "call", "(II)I")?;
        Ok(Self {
            object: environment.new_global_ref(object)?,
            call,
            memory: SharedMemory::of(environment, object, 0)?,
            request: Vec::new(),
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

    /// Appends the fields asked for: an index, or a number in place of all of them.
    pub fn fields(&mut self, fields: Fields) -> &mut Self {
        self.number(match fields {
            Fields::All => ALL_FIELDS,
            Fields::AllByName => ALL_FIELDS_BY_NAME,
            Fields::One(index) => index,
        })
    }

    /// Sends the request and waits for the answer.
    ///
    /// # Errors
    /// The exception that the Java side ended with.
    pub fn call(&mut self, operation: u32) -> Result<Reply<'_>, Failure> {
        let machine = machine().map_err(|error| Failure::machine(error.0))?;
        let mut environment = machine
            .attach_current_thread_as_daemon()
            .map_err(|error| Failure::machine(error.to_string()))?;
        let (succeeded, length) = match self.exchange(&mut environment, operation) {
            Ok(answered) => answered,
            Err(error) => {
                let reason = describe_exception(&mut environment);
                return Err(Failure::machine(reason.unwrap_or_else(|| error.to_string())));
            }
        };
        let mut answer = Reply::new(self.memory.read(length));
        if succeeded {
            return Ok(answer);
        }
        Err(Failure {
            classes: answer.text().split_whitespace().map(str::to_owned).collect(),
            message: answer.text(),
        })
    }

    /// Whether the operation succeeded, and the length of its answer.
    fn exchange(
        &mut self,
        environment: &mut JNIEnv<'_>,
        operation: u32,
    ) -> Result<(bool, usize), jni::errors::Error> {
        if self.request.len() > self.memory.capacity() {
            self.memory = SharedMemory::of(environment, self.object.as_obj(), self.request.len())?;
        }
        self.memory.write(&self.request);
        let result = self.invoke(environment, operation.cast_signed(), self.request.len() as i32)?;
        let answered = if result < 0 { -1 - result } else { result } as usize;
        if answered & MOVED != 0 {
            self.memory = SharedMemory::of(environment, self.object.as_obj(), 0)?;
        }
        Ok((result >= 0, answered & !MOVED))
    }

    /// What `call` of Java answers. It catches every exception itself; one that it could not hold (no memory is left for
    /// it) makes HotSpot answer 0, so only then is it asked for.
    #[expect(
        unsafe_code,
        reason = "the machine's own function, by the method's id: looking it up, and asking for an exception, for each \
                  call would cost a tenth of the call"
    )]
    fn invoke(
        &self,
        environment: &mut JNIEnv<'_>,
        operation: i32,
        length: i32,
    ) -> Result<i32, jni::errors::Error> {
        let arguments = [sys::jvalue { i: operation }, sys::jvalue { i: length }];
        let raw = environment.get_raw();
        // SAFETY: `raw` is this thread's environment, whose table of functions is complete; `call` is the id of the method
        // of this object's class with two ints as arguments and an int as result; the object keeps its class loaded.
        let result = unsafe {
            let functions = &**raw;
            functions.CallIntMethodA.map(|call_int_method| {
                call_int_method(
                    raw,
                    self.object.as_raw(),
                    self.call.into_raw(),
                    arguments.as_ptr(),
                )
            })
        };
        match result {
            Some(0) if environment.exception_check()? => Err(jni::errors::Error::JavaException),
            Some(result) => Ok(result),
            None => Err(jni::errors::Error::JNIEnvMethodNotFound("CallIntMethodA")),
        }
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
