//! The memory that both sides read and write: that of a direct buffer of Java's.
#![expect(
    unsafe_code,
    reason = "requests and answers are not copied through the machine: that would cost more than the call itself"
)]

use std::ptr::NonNull;

use jni::JNIEnv;
use jni::errors::Error;
use jni::objects::{GlobalRef, JByteBuffer, JObject, JValue};

/// A channel's buffer. It stays where it is for as long as this lives, whatever the Java side does with its own.
pub struct SharedMemory {
    /// Keeps the memory from being freed.
    _buffer: GlobalRef,
    start: NonNull<u8>,
    capacity: usize,
}

// SAFETY: the memory belongs to no thread. The Java side touches it during a call only, and who calls holds the channel
// exclusively.
unsafe impl Send for SharedMemory {}

impl SharedMemory {
    /// The buffer of this channel, made at least so long.
    pub fn of(environment: &mut JNIEnv<'_>, channel: &JObject<'_>, length: usize) -> Result<Self, Error> {
        let length = i32::try_from(length).map_err(|_| Error::JavaException)?;
        environment.with_local_frame(8, |environment| {
            let buffer: JByteBuffer<'_> = environment
                .call_method(
                    channel,
                    "reserve",
                    "(I)Ljava/nio/ByteBuffer;",
                    &[JValue::Int(length)],
                )?
                .l()?
                .into();
            let start = environment.get_direct_buffer_address(&buffer)?;
            Ok(Self {
                start: NonNull::new(start).ok_or(Error::NullPtr("address of a direct buffer"))?,
                capacity: environment.get_direct_buffer_capacity(&buffer)?,
                _buffer: environment.new_global_ref(buffer)?,
            })
        })
    }

    /// How long it is.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Puts a request there. It must fit.
    pub fn write(&mut self, request: &[u8]) {
        assert!(request.len() <= self.capacity, "a request fits its buffer");
        // SAFETY: the memory is at least so long and alive, and nobody else touches it: no call runs while `self` is
        // borrowed here, and Rust's references into it borrow `self` too.
        unsafe { std::ptr::copy_nonoverlapping(request.as_ptr(), self.start.as_ptr(), request.len()) }
    }

    /// The first bytes of it, an answer.
    pub fn read(&self, length: usize) -> &[u8] {
        assert!(length <= self.capacity, "an answer lies in its buffer");
        // SAFETY: as above; Java clears the memory that it allocates, so every byte has a value.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), length) }
    }
}
