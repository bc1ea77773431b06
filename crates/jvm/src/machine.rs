//! Starts the machine, once, and loads bridge classes.

use std::sync::OnceLock;

use jni::objects::{JObject, JValue};
use jni::{InitArgsBuilder, JNIEnv, JNIVersion, JavaVM};

use crate::channel::{Channel, describe_exception};
use crate::compile::compiled;
use crate::{ClassPath, JvmError};

/// A Java class that speaks to one client library: `dbdyno.<name>`, which extends `dbdyno.Channel` and has a constructor
/// without arguments.
#[derive(Clone, Copy, Debug)]
pub struct Bridge {
    /// Its name without the package.
    pub name: &'static str,
    /// Its source.
    pub source: &'static str,
}

static MACHINE: OnceLock<Result<JavaVM, JvmError>> = OnceLock::new();

/// The machine, started at the first call. `DBDYNO_JVM_OPTIONS` adds to its options, separated by spaces.
pub fn machine() -> Result<&'static JavaVM, JvmError> {
    MACHINE.get_or_init(start).as_ref().map_err(Clone::clone)
}

fn start() -> Result<JavaVM, JvmError> {
    // -Xrs leaves ctrl-C and SIGTERM to us.
    let mut arguments = InitArgsBuilder::new().version(JNIVersion::V8);
    let further = std::env::var("DBDYNO_JVM_OPTIONS").unwrap_or_default();
    for option in ["-Xrs", "-Xmx512m"].into_iter().chain(further.split_whitespace()) {
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

/// Loads a bridge class with its client's jars, in a class loader of its own, and makes its first channel.
///
/// # Errors
/// Without a JDK, or when the class path does not hold the client.
pub fn open(bridge: Bridge, class_path: &ClassPath) -> Result<Channel, JvmError> {
    let classes = compiled(&format!("{}.java", bridge.name), bridge.source, class_path)?;
    let mut environment = machine()?.attach_current_thread_as_daemon().map_err(|error| {
        JvmError(format!(
            "cannot attach a thread to the Java virtual machine: {error}"
        ))
    })?;
    let entries = std::iter::once(&classes).chain(class_path.entries());
    // `file:` URLs of directories end with a slash.
    let urls: Vec<String> = entries
        .map(|path| format!("file:{}{}", path.display(), if path.is_dir() { "/" } else { "" }))
        .collect();
    let made = environment.with_local_frame(64, |environment| -> Result<Channel, jni::errors::Error> {
        let object = instantiate(environment, &urls, bridge.name)?;
        Channel::new(environment, &object)
    });
    made.map_err(|error| {
        let reason = describe_exception(&mut environment).unwrap_or_else(|| error.to_string());
        JvmError(format!("cannot load the Java class {}: {reason}", bridge.name))
    })
}

fn instantiate<'local>(
    environment: &mut JNIEnv<'local>,
    urls: &[String],
    name: &str,
) -> Result<JObject<'local>, jni::errors::Error> {
    let count =
        i32::try_from(urls.len()).map_err(|_| jni::errors::Error::WrongJValueType("urls", "too many"))?;
    let array = environment.new_object_array(count, "java/net/URL", JObject::null())?;
    for (index, url) in (0..).zip(urls) {
        let text = environment.new_string(url)?;
        let url =
            environment.new_object("java/net/URL", "(Ljava/lang/String;)V", &[JValue::Object(&text)])?;
        environment.set_object_array_element(&array, index, &url)?;
        environment.delete_local_ref(text)?;
        environment.delete_local_ref(url)?;
    }
    let loader = environment.new_object(
        "java/net/URLClassLoader",
        "([Ljava/net/URL;)V",
        &[JValue::Object(&array)],
    )?;
    // Libraries look up their parts through the thread's loader.
    let thread = environment
        .call_static_method("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", &[])?
        .l()?;
    environment.call_method(
        &thread,
        "setContextClassLoader",
        "(Ljava/lang/ClassLoader;)V",
        &[JValue::Object(&loader)],
    )?;
    let name = environment.new_string(format!("dbdyno.{name}"))?;
    let class = environment
        .call_method(
            &loader,
            "loadClass",
            "(Ljava/lang/String;)Ljava/lang/Class;",
            &[JValue::Object(&name)],
        )?
        .l()?;
    environment
        .call_method(&class, "newInstance", "()Ljava/lang/Object;", &[])?
        .l()
}
