//! The one Java virtual machine of the process, for databases whose official client exists in Java only.
//!
//! Nothing of Java is needed to build or to run dbdyno until such a database is used. Then [`open`] finds a JDK through
//! `JAVA_HOME` or `java` on PATH, compiles the small class that speaks to the client, and loads it with the client's
//! jars in a class loader of its own. See `docs/decisions/java-clients.md`.

mod bridge;
mod channel;
mod class_path;
mod compile;
mod error;
mod machine;
mod shared_memory;
mod wire;

pub use bridge::{Bridge, open, open_with};
pub use channel::{Channel, Failure};
pub use class_path::ClassPath;
pub use error::JvmError;
pub use wire::Reply;
