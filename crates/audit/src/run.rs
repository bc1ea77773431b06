//! An audit from its request to its record.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_driver::{DbError, ErrorClass, Target};
use dbdyno_record::audit::{AUDIT_FORMAT, Access, AuditFinding, AuditRecord, Feature, UnknownReason};

use crate::auditor::Auditor;
use crate::channel::Channel;
use crate::clock::Deadline;
use crate::identity::Identity;
use crate::localhost;
use crate::own_name::{OwnName, new_name};
use crate::scene::{Place, Scene};
use crate::vantage::Vantage;

/// What is to be audited, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The system, with the login of an ordinary user where there is one.
    pub target: Target,
    /// The system with the login of an administrator.
    pub administrator: Option<Target>,
    /// How the system is called in the record; a lab's system has another name than its address.
    pub name: String,
    /// Files and processes of the servers.
    pub place: Place,
    /// From where to look. What depends on it is looked at over loopback, too, where the servers run on this machine and their address
    /// is another.
    pub from: Vantage,
    /// The features to examine; empty: all of them.
    pub only: Vec<Feature>,
    /// Whether the logins that products ship with may be tried.
    pub tries_defaults: bool,
    /// Whether a thousand connections may be opened that say nothing. A server with few to spare refuses others meanwhile.
    pub tries_idle_connections: bool,
    /// How long one probe may take.
    pub patience: Duration,
}

impl Request {
    /// Whether a feature is to be examined. Injection rests on what logins have shown.
    fn asks_for(&self, feature: Feature) -> bool {
        let is_needed = feature == Feature::Authentication && self.only.contains(&Feature::Injection);
        self.only.is_empty() || self.only.contains(&feature) || is_needed
    }
}

/// Audits a system.
///
/// `progress` hears each feature as it begins. `stop` ends the audit after the feature at hand: the rest is unknown, and
/// what was made is removed.
///
/// # Errors
/// When the address cannot be read, or none of its servers can be connected to.
pub fn run(
    auditor: &dyn Auditor,
    request: &Request,
    version: &str,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(Feature),
) -> Result<AuditRecord, DbError> {
    let remote = auditor.read(&request.target)?;
    let administrator = request.administrator.as_ref();
    let administrator = administrator.map(|target| auditor.read(target)).transpose()?;
    check_reachable(&remote, &request.from, request.patience)?;
    let began = jiff::Timestamp::now();
    let audited_at = began.to_string();
    let own_name = new_name(began.as_second(), request.patience);
    let seen_from = |from, remote, administrator| Scene {
        target: &request.target,
        remote,
        administrator,
        administrator_target: request.administrator.as_ref(),
        place: &request.place,
        from,
        tries_defaults: request.tries_defaults,
        tries_idle_connections: request.tries_idle_connections,
        patience: request.patience,
        own_name: Arc::new(OwnName::new(own_name.clone())),
        identity: Identity::default(),
        evidence: Vec::new(),
        tls: None,
    };
    let mut scene = seen_from(&request.from, &remote, administrator.as_ref());
    let near_remote = localhost::over_loopback(&remote, &request.place);
    let near_administrator = administrator
        .as_ref()
        .and_then(|remote| localhost::over_loopback(remote, &request.place));
    let mut near = near_remote
        .as_ref()
        .map(|remote| seen_from(&Vantage::Loopback, remote, near_administrator.as_ref()));
    let identity = identified(auditor, &mut scene, near.as_mut());
    // Things that a killed audit has left would spoil this one.
    auditor.clean(&mut scene);
    let mut findings = Vec::with_capacity(Feature::ALL.len());
    for feature in Feature::ALL {
        let not_examined = if !request.asks_for(feature) {
            Some((UnknownReason::NotRequested, "This feature was not requested."))
        } else if stop() {
            Some((
                UnknownReason::Stopped,
                "The audit was stopped before it examined this feature.",
            ))
        } else {
            None
        };
        if let Some((reason, why)) = not_examined {
            findings.push(AuditFinding::unknown(feature, reason, why));
            continue;
        }
        progress(feature);
        let mut finding = match feature {
            Feature::Injection if speaks_strangely(&findings) => AuditFinding::unknown(
                feature,
                UnknownReason::Unexpected,
                "Not tried: the server did not answer logins as its protocol requires, and the driver would read whatever it sends.",
            ),
            feature => examined(auditor, feature, &mut scene),
        };
        if let Some(near) = &mut near
            && localhost::DEPENDENT.contains(&feature)
        {
            let over_loopback = examined(auditor, feature, near);
            let at = near.host().to_string();
            finding = localhost::compare(finding, &request.from.name(), over_loopback, &at);
        }
        finding.summary = harmless(&finding.summary);
        findings.push(finding);
    }
    let mut left_behind: Vec<String> = Vec::new();
    for scene in std::iter::once(&mut scene).chain(near.as_mut()) {
        let left = auditor.clean(scene);
        left_behind.extend(left.iter().map(|left| harmless(left)));
    }
    left_behind.dedup();
    let record = AuditRecord {
        format: AUDIT_FORMAT.to_owned(),
        dbdyno: version.to_owned(),
        system: request.name.clone(),
        database: auditor.database().to_owned(),
        product: identity.product,
        version: identity.version,
        audited_at,
        access: Access::ALL
            .into_iter()
            .filter(|access| scene.access().contains(access))
            .collect(),
        from: std::iter::once(&scene)
            .chain(near.as_ref())
            .map(|scene| scene.from.name())
            .collect(),
        findings,
        left_behind,
    };
    Ok(record.without(&scene.secrets()))
}

/// What the server says of itself, over loopback where it says nothing otherwise. Scenes know it from then on.
fn identified(auditor: &dyn Auditor, scene: &mut Scene<'_>, near: Option<&mut Scene<'_>>) -> Identity {
    let mut identity = auditor.identify(scene);
    if let Some(near) = near {
        if identity == Identity::default() {
            identity = auditor.identify(near);
        }
        near.identity = identity.clone();
    }
    scene.identity = identity.clone();
    identity
}

/// One feature, with its evidence.
fn examined(auditor: &dyn Auditor, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding {
    scene.evidence.clear();
    let mut finding = auditor.examine(feature, scene);
    finding.evidence.append(&mut scene.evidence);
    finding
}

/// Whether the probes of logins got answers that they do not know. Probes read within bounds; the libraries behind a driver need not.
fn speaks_strangely(findings: &[AuditFinding]) -> bool {
    findings.iter().any(|finding| {
        finding.feature == Feature::Authentication
            && matches!(
                finding.why_not_known,
                Some(UnknownReason::Unexpected | UnknownReason::Unreachable)
            )
    })
}

/// A sentence may hold words of a server or of a client library, which must not drive a terminal.
fn harmless(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// A system of which no server answers is no system to audit.
fn check_reachable(remote: &Remote, from: &Vantage, patience: Duration) -> Result<(), DbError> {
    let unavailable = |message: String| DbError::new(ErrorClass::Unavailable, message);
    from.check()
        .map_err(|why| DbError::new(ErrorClass::Rejected, why))?;
    let try_one = |host: &HostPort| Channel::connect(host, from, Deadline::within(patience)).map(drop);
    let mut last = None;
    for host in &remote.hosts {
        match try_one(host) {
            Ok(()) => return Ok(()),
            Err(error) => last = Some(error.to_string()),
        }
    }
    Err(unavailable(
        last.unwrap_or_else(|| "the address names no server".to_owned()),
    ))
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn a_servers_words_in_a_sentence_cannot_drive_a_terminal() {
        assert_eq!(harmless("It said \u{1b}[2J\u{9b}.\n"), "It said  [2J . ");
    }
}
