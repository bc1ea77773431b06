//! What every security audit is made of.
//!
//! An [`Auditor`] knows one database: for each [`Feature`](dbdyno_record::audit::Feature) it asks the server questions over a
//! [`Scene`] and returns what it observed. The kit here makes sure that no server can hold it up, fill its memory or make it
//! fall: every wait has a deadline, every answer a longest length. It knows no database and prints nothing.

mod at_rest;
mod auditing;
mod auditor;
mod canary;
mod catalogue;
mod certificate;
mod channel;
mod client_certificate;
mod client_hello;
mod clock;
mod configuration;
mod exposure;
mod file_modes;
#[doc(hidden)]
pub mod fuzzing;
mod identity;
mod idle_connections;
mod in_force;
mod in_part;
mod injection;
mod known_vulnerabilities;
mod localhost;
mod logins;
mod other_ports;
mod own_name;
mod revoke;
mod run;
mod scene;
mod stranger;
mod tls;
mod transport;
mod vantage;
mod version;
mod volume;
mod walk;
mod wire;

pub use at_rest::{Traces, Writer, at_rest, not_stored, stored, without_files};
pub use auditing::{login_not_refused, without_logs};
pub use auditor::Auditor;
pub use canary::{Canary, Sightings, search};
pub use catalogue::catalogue;
pub use certificate::Certificate;
pub use channel::{Channel, ChannelError};
pub use client_certificate::asks_for_certificate;
pub use clock::{Deadline, Stopwatch};
pub use configuration::{ConfigurationFiles, with_configuration};
pub use exposure::{exposure, listens_on};
pub use identity::Identity;
pub use idle_connections::idle_connections;
pub use in_force::in_force;
pub use in_part::in_part;
pub use injection::injection;
pub use known_vulnerabilities::{
    KnownVulnerabilities, Vulnerability, known_vulnerabilities, vulnerabilities,
};
pub use logins::{
    defaults_not_tried, given_password_is_guessed, guessed_first, nothing_to_revoke, right_login,
    rights_without_login, served_without_login, severity_of_rights, unexpected_refusal, unseen_login,
    wrong_password_accepted,
};
pub use other_ports::{OtherPorts, with_other_ports};
pub use own_name::{PREFIX, is_own};
pub use revoke::{
    REPETITIONS, not_measured, repeat, revocation, revocations, seconds_until_refused, time_to_revoke,
};
pub use run::{Request, run};
pub use scene::{Place, Scene, first_of, shortened};
pub use stranger::Stranger;
pub use tls::{TlsObservation, TlsOfServers};
pub use transport::{ClearText, client_to_node, transport};
pub use vantage::Vantage;
pub use version::Version;
pub use volume::{VolumeProtection, volume_protection};
pub use walk::{entries_below, is_of_the_kernel};
pub use wire::Wire;
