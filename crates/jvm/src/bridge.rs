//! Bridge classes: compiled, loaded and made into channels.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jni::JNIEnv;
use jni::objects::{GlobalRef, JObject, JValue};

use crate::channel::Channel;
use crate::compile::compiled;
use crate::machine::{describe_exception, machine};
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

/// Loads a bridge class with its client's jars, in a class loader of its own, and makes its first channel. The same class
/// with the same jars is loaded once.
///
/// # Errors
/// Without a JDK, or when the class path does not hold the client.
pub fn open(bridge: Bridge, class_path: &ClassPath) -> Result<Channel, JvmError> {
    open_with(bridge, &[], "", class_path)
}

/// Opens a bridge that is more than one class: `further` are the names, without the package, and the sources of
/// those that it needs beside itself. What libraries keep in static fields is shared by all that is opened with the same
/// word `apart`, and by nothing else.
///
/// # Errors
/// Those of [`open`].
pub fn open_with(
    bridge: Bridge,
    further: &[(&'static str, &'static str)],
    apart: &'static str,
    class_path: &ClassPath,
) -> Result<Channel, JvmError> {
    let sources: Vec<(String, &str)> = std::iter::once(&(bridge.name, bridge.source))
        .chain(further)
        .map(|(name, source)| (format!("{name}.java"), *source))
        .collect();
    let classes = compiled(&sources, class_path)?;
    let mut environment = machine()?.attach_current_thread_as_daemon().map_err(|error| {
        JvmError(format!(
            "cannot attach a thread to the Java virtual machine: {error}"
        ))
    })?;
    let made = environment.with_local_frame(64, |environment| -> Result<Channel, jni::errors::Error> {
        let class = loaded(environment, bridge.name, apart, &classes, class_path)?;
        lend_loader(environment, class.as_obj())?;
        let object = environment
            .call_method(&class, "newInstance", "()Ljava/lang/Object;", &[])?
            .l()?;
        Channel::new(environment, &object)
    });
    made.map_err(|error| {
        let reason = describe_exception(&mut environment).unwrap_or_else(|| error.to_string());
        JvmError(format!("cannot load the Java class {}: {reason}", bridge.name))
    })
}

/// The class, loaded now or before. `classes` is a directory of this bridge and this class path alone.
fn loaded(
    environment: &mut JNIEnv<'_>,
    name: &str,
    apart: &'static str,
    classes: &Path,
    class_path: &ClassPath,
) -> Result<GlobalRef, jni::errors::Error> {
    static LOADED: Mutex<BTreeMap<(PathBuf, &'static str), GlobalRef>> = Mutex::new(BTreeMap::new());
    // Held while it loads: another thread that wants the same class waits for it.
    let mut known = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(class) = known.get(&(classes.to_owned(), apart)) {
        return Ok(class.clone());
    }
    let entries = std::iter::once(classes).chain(class_path.entries().iter().map(PathBuf::as_path));
    let paths: Vec<String> = entries.map(|path| path.display().to_string()).collect();
    let class = load(environment, &paths, name)?;
    let class = environment.new_global_ref(class)?;
    known.insert((classes.to_owned(), apart), class.clone());
    Ok(class)
}

fn load<'local>(
    environment: &mut JNIEnv<'local>,
    paths: &[String],
    name: &str,
) -> Result<JObject<'local>, jni::errors::Error> {
    let count =
        i32::try_from(paths.len()).map_err(|_| jni::errors::Error::WrongJValueType("paths", "too many"))?;
    let array = environment.new_object_array(count, "java/net/URL", JObject::null())?;
    for (index, path) in (0..).zip(paths) {
        environment.with_local_frame(8, |environment| {
            let text = environment.new_string(path)?;
            let file =
                environment.new_object("java/io/File", "(Ljava/lang/String;)V", &[JValue::Object(&text)])?;
            // It escapes blanks and `%`, and ends directories with a slash.
            let address = environment
                .call_method(&file, "toURI", "()Ljava/net/URI;", &[])?
                .l()?;
            let url = environment
                .call_method(&address, "toURL", "()Ljava/net/URL;", &[])?
                .l()?;
            environment.set_object_array_element(&array, index, &url)
        })?;
    }
    let loader = environment.new_object(
        "java/net/URLClassLoader",
        "([Ljava/net/URL;)V",
        &[JValue::Object(&array)],
    )?;
    let name = environment.new_string(format!("dbdyno.{name}"))?;
    environment
        .call_method(
            &loader,
            "loadClass",
            "(Ljava/lang/String;)Ljava/lang/Class;",
            &[JValue::Object(&name)],
        )?
        .l()
}

/// Libraries look up their parts through the thread's loader.
fn lend_loader(environment: &mut JNIEnv<'_>, class: &JObject<'_>) -> Result<(), jni::errors::Error> {
    let loader = environment
        .call_method(class, "getClassLoader", "()Ljava/lang/ClassLoader;", &[])?
        .l()?;
    let thread = environment
        .call_static_method("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", &[])?
        .l()?;
    environment
        .call_method(
            &thread,
            "setContextClassLoader",
            "(Ljava/lang/ClassLoader;)V",
            &[JValue::Object(&loader)],
        )
        .map(drop)
}
