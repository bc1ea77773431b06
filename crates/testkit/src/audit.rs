//! What the tests of security probes share: an audit of a server of the lab, against what is known of it.

use std::fs::{Permissions, set_permissions};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use dbdyno_audit::{Auditor, Place, Request, Vantage};
use dbdyno_driver::Target;
use dbdyno_lab::{Lab, Recipe};
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};

use crate::live::{start, target};
use crate::namespace::OtherHost;

/// What must be observed of a feature.
pub type Expected = (Feature, ProtectionLevel, Option<AuditSeverity>);

/// How an audit of a lab's system is asked for: with everything that the lab knows.
#[must_use]
pub fn request(lab: &Lab) -> Request {
    let servers = lab.servers();
    Request {
        target: target(lab.address()),
        administrator: lab.instance().administrator.as_deref().map(target),
        name: lab.instance().request.clone(),
        place: Place {
            data: servers.iter().map(|server| server.directory.clone()).collect(),
            logs: servers.iter().map(|server| server.log.clone()).collect(),
            processes: servers.iter().map(|server| server.process).collect(),
        },
        from: Vantage::Here,
        only: Vec::new(),
        tries_defaults: true,
        tries_idle_connections: false,
        patience: Duration::from_secs(5),
    }
}

/// Audits a system.
///
/// # Panics
/// When it cannot be reached.
#[must_use]
pub fn audited(auditor: &dyn Auditor, request: &Request) -> AuditRecord {
    dbdyno_audit::run(auditor, request, "test", &|| false, &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Opens idle connections, and checks what becomes of other clients.
///
/// # Panics
/// When something else is observed.
pub fn assert_idle_connections(
    auditor: &dyn Auditor,
    lab: &Lab,
    expected: (ProtectionLevel, Option<AuditSeverity>),
) {
    let mut request = request(lab);
    request.only = vec![Feature::IdleConnections];
    request.tries_idle_connections = true;
    let record = audited(auditor, &request);
    let finding = record
        .finding(Feature::IdleConnections)
        .expect("every feature has a finding");
    assert_eq!((finding.level, finding.severity), expected, "{finding:#?}");
}

/// An audit whose login is withdrawn when the probe of this feature has made something says that it could not look for it; one whose
/// login never worked made nothing, and has nothing to say.
///
/// # Panics
/// When it says something else.
pub fn assert_missed_only_if_made(
    auditor: &dyn Auditor,
    mut request: Request,
    feature: Feature,
    withdraw: &mut dyn FnMut(),
) {
    let last = Feature::Exposure;
    request.only = vec![feature, last];
    let mut withdraw_at_last = |examined: Feature| {
        if examined == last {
            withdraw();
        }
    };
    let record = dbdyno_audit::run(auditor, &request, "test", &|| false, &mut withdraw_at_last)
        .unwrap_or_else(|error| panic!("{error}"));
    let left = record.left_behind;
    assert!(
        matches!(left.as_slice(), [one] if one.contains("could not be looked for")),
        "{left:?}"
    );
    let left = audited(auditor, &request).left_behind;
    assert!(left.is_empty(), "{left:?}");
}

/// Files of a lab's server whose modes are changed, with what an audit of its data says then.
pub struct ServerFiles<'a> {
    auditor: &'a dyn Auditor,
    directory: PathBuf,
    request: Request,
}

impl<'a> ServerFiles<'a> {
    /// Those of the first server, whose data are in the directory `data` of its own.
    #[must_use]
    pub fn of(auditor: &'a dyn Auditor, lab: &Lab) -> Self {
        let directory = lab.servers()[0].directory.clone();
        let mut request = request(lab);
        request.place.data = vec![directory.join("data")];
        request.only = vec![Feature::EncryptionAtRest];
        Self {
            auditor,
            directory,
            request,
        }
    }

    /// Gives one of them this mode; without a name, the directory.
    ///
    /// # Panics
    /// When it is not there.
    pub fn set_mode(&self, file: &str, mode: u32) {
        let changed = set_permissions(self.directory.join(file), Permissions::from_mode(mode));
        changed.expect("the file is there");
    }

    /// The values lie in clear text, with this severity, the finding names this, and the configuration was looked at.
    ///
    /// # Panics
    /// When something else is observed.
    #[track_caller]
    pub fn assert_severity(&self, severity: AuditSeverity, named: &str) {
        let record = audited(self.auditor, &self.request);
        let finding = record
            .finding(Feature::EncryptionAtRest)
            .expect("every feature has a finding");
        let found = (finding.level, finding.severity);
        let expected = (ProtectionLevel::SupportedOff, Some(severity));
        assert_eq!(found, expected, "{finding:#?}");
        assert!(finding.summary.contains(named), "{finding:#?}");
        let mut evidence = finding.evidence.iter();
        let is_looked_at = evidence.any(|evidence| evidence.probe == "files.configuration");
        assert!(is_looked_at, "{finding:#?}");
    }
}

/// Where the application may not store the text that is looked for in the files, the administrator does, and the evidence says so.
///
/// # Panics
/// When something else is observed.
#[track_caller]
pub fn assert_stored_by_administrator(auditor: &dyn Auditor, lab: &Lab, expected: Expected) {
    let record = assert_audit_of(auditor, lab, &[expected]);
    let finding = record
        .finding(Feature::EncryptionAtRest)
        .expect("every feature has a finding");
    let mut said = finding.evidence.iter().map(|evidence| evidence.got.as_str());
    assert!(
        said.any(|got| got.contains("the administrator stores it")),
        "{finding:#?}"
    );
}

/// What a study writes down of these servers says whether they ask their clients for a certificate.
///
/// # Panics
/// When it says something else.
#[track_caller]
pub fn assert_certificate_read_back(auditor: &dyn Auditor, lab: &Lab, is_asked_for: bool) {
    let seen = dbdyno_audit::in_force(auditor, &target(lab.address()), None);
    let seen = seen.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(seen.asks_for_certificate, Some(is_asked_for), "{seen:?}");
}

/// Requests an audit from another host, of a system that was started with `listen=` and the address of this machine that the host
/// reaches.
///
/// # Panics
/// When an address is none.
#[must_use]
pub fn request_from(other: &OtherHost, lab: &Lab) -> Request {
    let mut request = request(lab);
    let here = other.here().to_string();
    for target in std::iter::once(&mut request.target).chain(&mut request.administrator) {
        target.place = target.place.replace("127.0.0.1", &here);
    }
    request.from = Vantage::Namespace(other.name().to_owned());
    request.only = LOCAL.to_vec();
    request
}

/// What may have an exception for localhost.
const LOCAL: [Feature; 4] = [
    Feature::Authentication,
    Feature::ClientToNodeEncryption,
    Feature::JmxAuthentication,
    Feature::DefaultCredentials,
];

/// An exception for localhost was found: with evidence from the other host and over loopback, and as grave as expected.
///
/// # Panics
/// When it was not.
#[track_caller]
pub fn assert_exception(record: &AuditRecord, feature: Feature, severity: AuditSeverity) {
    let finding = record.finding(feature).expect("every feature has a finding");
    let found = (finding.level, finding.severity);
    assert_eq!(found, (ProtectionLevel::Partial, Some(severity)), "{finding:#?}");
    assert!(
        finding.summary.contains("exception for localhost"),
        "{}",
        finding.summary
    );
    assert_eq!(record.from.len(), 2, "{:?}", record.from);
    for from in &record.from {
        let is_from = finding.evidence.iter().any(|evidence| evidence.from == *from);
        assert!(is_from, "{from}: {finding:#?}");
    }
}

/// No exception for localhost was found where both sides were looked at.
///
/// # Panics
/// When one was.
#[track_caller]
pub fn assert_no_exception(record: &AuditRecord, expected: &[Expected]) {
    for (feature, level, severity) in expected {
        let finding = record.finding(*feature).expect("every feature has a finding");
        let found = (finding.level, finding.severity);
        assert_eq!(found, (*level, *severity), "{finding:#?}");
        assert!(finding.summary.contains("the same over loopback"), "{finding:#?}");
    }
}

/// Starts a system, and examines these features of it with all access: checks what was observed, that there is evidence for all of it,
/// that every unknown has its reason, and that no password is in the record.
///
/// # Panics
/// When something else was observed.
#[track_caller]
pub fn assert_audit(
    auditor: &dyn Auditor,
    recipe: &dyn Recipe,
    wanted: &str,
    expected: &[Expected],
) -> AuditRecord {
    assert_audit_of(auditor, &start(recipe, wanted), expected)
}

/// Audits a system that runs already, and compares as [`assert_audit`] does.
///
/// # Panics
/// When something else was observed.
#[track_caller]
pub fn assert_audit_of(auditor: &dyn Auditor, lab: &Lab, expected: &[Expected]) -> AuditRecord {
    let mut request = request(lab);
    request.only = expected.iter().map(|(feature, ..)| *feature).collect();
    assert_record(audited(auditor, &request), lab, expected)
}

/// Two audits of a hardened system at once, of all features: neither disturbs the other, neither leaves anything, and nothing above low
/// is found. The record of one.
///
/// # Panics
/// When something else was observed.
#[track_caller]
pub fn assert_hardened(auditor: &dyn Auditor, lab: &Lab, expected: &[Expected]) -> AuditRecord {
    let request = request(lab);
    let records = std::thread::scope(|scope| {
        let audits = [(); 2].map(|()| scope.spawn(|| audited(auditor, &request)));
        audits.map(|audit| audit.join().expect("an audit ends"))
    });
    let [first, second] = records.map(|record| assert_record(record, lab, expected));
    for (one, other) in first.findings.iter().zip(&second.findings) {
        assert_eq!(
            (one.level, one.severity),
            (other.level, other.severity),
            "{one:#?} {other:#?}"
        );
    }
    assert!(first.gravest() <= Some(AuditSeverity::Low), "{first:#?}");
    first
}

#[track_caller]
fn assert_record(record: AuditRecord, lab: &Lab, expected: &[Expected]) -> AuditRecord {
    let wanted = &lab.instance().request;
    for (feature, level, severity) in expected {
        let finding = record.finding(*feature).expect("every feature has a finding");
        assert_eq!(
            (finding.level, finding.severity),
            (*level, *severity),
            "{wanted}: {finding:#?}"
        );
    }
    for finding in &record.findings {
        assert_eq!(
            finding.why_not_known.is_some(),
            finding.level == ProtectionLevel::Unknown,
            "{wanted}: {finding:#?}"
        );
        assert_eq!(
            finding.severity.is_some(),
            !finding.fix.is_empty(),
            "{wanted}: {finding:#?}"
        );
        let needs_none = matches!(
            finding.level,
            ProtectionLevel::NotApplicable | ProtectionLevel::Unknown
        );
        assert!(
            needs_none || !finding.evidence.is_empty(),
            "{wanted}: {finding:#?}"
        );
    }
    assert!(record.left_behind.is_empty(), "{:?}", record.left_behind);
    let text = format!("{record:?}");
    for secret in secrets(lab) {
        assert!(!text.contains(&secret), "{wanted}: a password is in the record");
    }
    record
}

/// The passwords that the lab made.
fn secrets(lab: &Lab) -> Vec<String> {
    ["password", "administrator-password"]
        .into_iter()
        .filter_map(|name| std::fs::read_to_string(lab.directory().join("clients").join(name)).ok())
        .collect()
}

/// The address with another login, for probes that need to be refused.
#[must_use]
pub fn with_login(address: &Target, user: &str, password: &str) -> Target {
    let mut changed = address.clone();
    changed.options.remove("password_file");
    let host = address.place.rsplit_once('@').map_or_else(
        || address.place.trim_start_matches("//").to_owned(),
        |(_, host)| host.to_owned(),
    );
    changed.place = format!("//{user}:{password}@{host}");
    changed
}

/// A server that treats every connection like this; its port. It ends with the test's process.
///
/// # Panics
/// When no port is free.
pub fn server(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it listens").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    port
}

/// An audit of a hostile server, with two logins, ends; nothing is enforced, and neither a password nor a sequence that drives a
/// terminal is in the record.
///
/// # Panics
/// When something passes.
#[track_caller]
pub fn assert_nothing_passes(auditor: &dyn Auditor, name: &str, port: u16) {
    let address = |user: &str| {
        target(&format!(
            "{}://{user}:secret-of-{user}@127.0.0.1:{port}/ycsb?timeout=1s&connect_timeout=1s",
            auditor.schemes()[0]
        ))
    };
    let request = Request {
        target: address("app"),
        administrator: Some(address("boss")),
        name: name.to_owned(),
        place: Place::default(),
        from: Vantage::Here,
        only: Vec::new(),
        tries_defaults: true,
        tries_idle_connections: false,
        patience: Duration::from_millis(300),
    };
    for finding in audited(auditor, &request).findings {
        assert_ne!(finding.level, ProtectionLevel::Enforced, "{name}: {finding:#?}");
        let text = format!("{finding:?}");
        assert!(
            !text.contains("secret-of-") && !text.contains("\\u{1b}"),
            "{name}: {text}"
        );
    }
}
