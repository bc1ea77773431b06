//! The Java virtual machine of this process, started once, and its exceptions.

use std::sync::OnceLock;

use jni::objects::JThrowable;
use jni::{InitArgsBuilder, JNIEnv, JNIVersion, JavaVM};

use crate::JvmError;

const KERBEROS: &str = "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED";

static MACHINE: OnceLock<Result<JavaVM, JvmError>> = OnceLock::new();

/// The machine, started at the first call. `DBDYNO_JVM_OPTIONS` adds to its options, separated by spaces.
pub fn machine() -> Result<&'static JavaVM, JvmError> {
    MACHINE.get_or_init(start).as_ref().map_err(Clone::clone)
}

fn start() -> Result<JavaVM, JvmError> {
    // -Xrs leaves ctrl-C and SIGTERM to us. Hadoop's login by Kerberos asks a class for the realm that Java hides.
    let mut arguments = InitArgsBuilder::new().version(JNIVersion::V8);
    let further = std::env::var("DBDYNO_JVM_OPTIONS").unwrap_or_default();
    for option in ["-Xrs", "-Xmx512m", KERBEROS]
        .into_iter()
        .chain(further.split_whitespace())
    {
        arguments = arguments.option(option);
    }
    let refuse = |error: String| {
        JvmError(format!(
            "cannot start a Java virtual machine: {error}; install a JDK of version 11 or later (sudo apt-get install \
             default-jdk-headless) and let JAVA_HOME or PATH lead to it"
        ))
    };
    let arguments = arguments.build().map_err(|error| refuse(error.to_string()))?;
    JavaVM::new(arguments).map_err(|error| refuse(error.to_string()))
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
