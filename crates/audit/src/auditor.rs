//! What a database brings to an audit.

use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_driver::{DbError, Target};
use dbdyno_record::audit::{AuditFinding, Feature};

use crate::channel::{Channel, ChannelError};
use crate::identity::Identity;
use crate::scene::Scene;

/// The probes of one database.
///
/// # Behavior
/// - A level is decided by what the server does, never by what it says it would do. [`Feature::KnownVulnerabilities`] alone rests on the
///   version that it names.
/// - "On" is checked with its negative: the right login is accepted *and* a wrong one refused.
/// - What cannot be seen is unknown, with the reason.
/// - Only own tables and users are made, all with [`Scene::own_name()`], and removed before the probe returns.
pub trait Auditor: Sync {
    /// The database, by the name of its folder.
    fn database(&self) -> &'static str;

    /// The URL schemes it answers to.
    fn schemes(&self) -> &'static [&'static str];

    /// Reads an address of this database.
    ///
    /// # Errors
    /// As the driver's.
    fn read(&self, target: &Target) -> Result<Remote, DbError>;

    /// The capabilities of the product: TOML in the form of [`Catalogue`](dbdyno_record::audit::Catalogue).
    fn catalogue(&self) -> &'static str;

    /// The known vulnerabilities of the product: TOML in the form of [`KnownVulnerabilities`](crate::KnownVulnerabilities).
    fn vulnerabilities(&self) -> &'static str;

    /// What the server says of itself.
    fn identify(&self, scene: &mut Scene<'_>) -> Identity;

    /// A connection of a client on which TLS may begin now, and the server that it leads to.
    ///
    /// # Errors
    /// When no server can be reached, or it does not let TLS begin.
    fn before_tls(&self, scene: &mut Scene<'_>) -> Result<(HostPort, Channel), ChannelError> {
        Ok((scene.host().clone(), scene.open()?))
    }

    /// Whether a client without a certificate is refused; `None` where it was not seen.
    fn asks_for_certificate(&self, scene: &mut Scene<'_>) -> Option<bool> {
        let (host, channel) = self.before_tls(scene).ok()?;
        scene.is_refused_without_certificate(&host, channel)
    }

    /// What the probes of a feature run on the server's machine where the server does not refuse it, to be said before they begin;
    /// `None`: nothing.
    fn may_run(&self, _: Feature) -> Option<&'static str> {
        None
    }

    /// Examines one feature.
    fn examine(&self, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding;

    /// Removes what audits have left on the server, this one or an earlier one that was killed: everything whose name begins
    /// with [`PREFIX`](crate::PREFIX). Returns what could not be removed, with why, and what could not be looked for
    /// ([`Scene::not_looked_for`]).
    fn clean(&self, scene: &mut Scene<'_>) -> Vec<String>;
}
