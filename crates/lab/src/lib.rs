//! The lab: real database servers on this machine, from a recipe: installed, started, waited for, watched, broken and
//! stopped.
//!
//! A [`Recipe`] knows one product; everything it shares with others is here. [`up`] turns a [`ServerRequest`] (`cassandra@5.0?nodes=3`)
//! into a running [`Lab`] with an ordinary address. The lab knows no database and prints nothing: progress goes to a
//! [`Progress`], which also permits installations. Everything listens on loopback only, unless a request names another
//! address; every process that the lab started, the lab stops. Where
//! dbdyno runs as root, servers run as an unprivileged account.

mod account;
mod at_rest;
mod authority;
mod control_group;
mod debian;
mod error;
mod found;
mod granted;
mod held;
mod home;
mod instance;
mod key_store;
mod launch;
mod listen;
mod log;
mod log_directory;
mod machine_lock;
mod memory;
mod packages;
mod placed;
mod platform;
mod ports;
mod prepare;
mod process;
mod progress;
mod recipe;
mod recipe_info;
mod request;
mod resources;
mod security;
mod shared_memory;
mod sockets;
mod source;
mod spawn;
mod state;
mod store;
mod tool;
mod topology;
mod usage;
mod volume;

pub use at_rest::{AT_REST_OPTION, AtRestLevel};
pub use authority::make_certificates;
pub use dbdyno_trial::{Consistency, Durability};
pub use debian::debian_package;
pub use error::{LabError, LabErrorKind};
pub use found::found;
pub use granted::NodeMemory;
pub use home::LabHome;
pub use instance::{InstanceRequest, Keep, Lab, up};
pub use key_store::{KEY_STORE_TYPE, KeyStore};
pub use launch::{LaunchContext, Missing};
pub use listen::LISTEN_OPTION;
pub use log::{last_lines, read_log};
pub use log_directory::{LOG_DIRECTORY_OPTION, log_directory};
pub use packages::SystemPackages;
pub use prepare::prepare;
pub use process::{Signal, bound_child};
pub use progress::Progress;
pub use recipe::Recipe;
pub use recipe_info::{
    CLIENT_OPTION, CPUS_OPTION, Installation, MEMORY_OPTION, PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION,
    RecipeInfo, RecipeOption, Software, TLS_OPTION,
};
pub use request::{ServerRequest, address_part};
pub use resources::{check_resources, client_cpus, memory_bytes};
pub use security::{
    ADMINISTRATOR, APPLICATION, Logins, Protection, SECURITY_OPTION, Security, ServerTls, random_password,
    with_options,
};
pub use source::{WheelProgram, maven_jars, named_home, named_program, on_path, wheel_program};
pub use spawn::{JAVA_OPTIONS, ServerSpec};
pub use state::{Instance, Server, down, instances};
pub use store::Store;
pub use topology::Topology;
pub use usage::{Usage, devices_of, usage_of, usage_of_processes, usage_without_disk};
