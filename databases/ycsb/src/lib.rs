//! A host for YCSB's bindings: any Java class that extends `site.ycsb.DB` does the work. See the README beside this.

mod calls;
mod driver;
mod error;
mod host;
mod manifests;
mod options;
mod removal;
mod session;

pub use driver::YcsbDriver;
pub use host::core_jars;
pub use session::YcsbSession;
