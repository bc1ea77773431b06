//! Others than the user of the address: who of them is let in without a password.

use dbdyno_audit::{Channel, ChannelError, ClearText, Scene};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{SUPERUSER, administrator, application, database, open, open_without_certificate, user};
use crate::entry::{Asked, Entrance, Who, enter};
use crate::rule::Rule;
use crate::rules::rules;
use crate::stranger::shows_certificate;

const FIX: &str = "pg_hba.conf: scram-sha-256 in place of trust, in every line; then SELECT pg_reload_conf()";
/// No more lines are shown in a sentence.
const SHOWN: usize = 3;

/// Somebody to be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Caller {
    user: String,
    database: String,
    replicates: bool,
}

impl Caller {
    fn who(&self) -> Who<'_> {
        Who {
            user: &self.user,
            database: &self.database,
            application: "dbdyno",
            replicates: self.replicates,
        }
    }

    fn shown(&self) -> String {
        if self.replicates {
            format!("the user `{}`, for a stream to a replica", self.user)
        } else {
            format!("the user `{}`, to the database `{}`", self.user, self.database)
        }
    }
}

/// How a client connects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    ClearText,
    Tls,
    /// With the certificate of the address, which names its user.
    Certificate,
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::ClearText => "in clear text",
            Self::Tls => "over TLS",
            Self::Certificate => "with the certificate of the address",
        }
    }

    fn open(self, scene: &Scene<'_>, host: &HostPort) -> Result<Channel, ChannelError> {
        match self {
            Self::ClearText => scene.open_to(host),
            Self::Tls => open_without_certificate(scene, host),
            Self::Certificate => open(scene, host),
        }
    }
}

/// The users and databases that the logins of the audit can see, a few of each: superusers first.
fn callers(scene: &Scene<'_>) -> Vec<Caller> {
    let (own, own_database) = (user(scene.remote).to_owned(), database(scene).to_owned());
    let (mut users, mut databases) = (vec![own.clone()], vec![own_database.clone()]);
    users.extend(scene.administrator.map(|remote| user(remote).to_owned()));
    users.push(SUPERUSER.to_owned());
    databases.push(SUPERUSER.to_owned());
    if let Ok(mut session) = application(scene).or_else(|_| administrator(scene)) {
        let mut listed = |sql: &str| session.ask(sql).map(|answer| answer.column()).unwrap_or_default();
        users.extend(listed(
            "SELECT rolname FROM pg_catalog.pg_roles WHERE rolcanlogin ORDER BY rolsuper DESC, rolreplication DESC, rolname LIMIT 6",
        ));
        databases.extend(listed(
            "SELECT datname FROM pg_catalog.pg_database WHERE datallowconn ORDER BY datistemplate, oid DESC LIMIT 6",
        ));
    }
    let mut callers: Vec<Caller> = Vec::new();
    let mut add = |user: &str, database: &str, replicates: bool| {
        let caller = Caller {
            user: user.to_owned(),
            database: database.to_owned(),
            replicates,
        };
        if !callers.contains(&caller) {
            callers.push(caller);
        }
    };
    for user in &users {
        add(user, &own_database, false);
        add(user, &own_database, true);
    }
    for database in &databases {
        add(&own, database, false);
        add(SUPERUSER, database, false);
        add(&users[1], database, false);
    }
    callers
}

/// Tries callers one after the other, until one is what is looked for.
fn first(
    scene: &mut Scene<'_>,
    callers: &[Caller],
    host: &HostPort,
    way: Way,
    is_it: fn(&Entrance) -> bool,
) -> Result<Option<String>, ChannelError> {
    let own = user(scene.remote);
    let (mut tried, mut outcome) = (0, Ok(None));
    for caller in callers {
        // A certificate may well be the login of the user that it names.
        if way == Way::Certificate && caller.user == own {
            continue;
        }
        let entrance = way
            .open(scene, host)
            .and_then(|mut channel| enter(&mut channel, caller.who(), None));
        match entrance {
            Ok(entrance) if is_it(&entrance) => {
                outcome = Ok(Some(format!("{} ({})", caller.shown(), way.name())));
                break;
            }
            Ok(entrance) if entrance.asked.is_some() || entrance.is_refused_login() => tried += 1,
            // The server is full, say: that shows nothing.
            Ok(entrance) => {
                outcome = Err(ChannelError::Unexpected(entrance.shown()));
                break;
            }
            Err(ChannelError::Closed) if way == Way::ClearText => tried += 1,
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    let got = match &outcome {
        Ok(None) => format!("none of {tried}"),
        Ok(Some(who)) => format!("yes: {who}"),
        Err(error) => format!("none of {tried}, then: {error}"),
    };
    let sent = format!(
        "other users, databases and streams at {host} {}, no password sent",
        way.name()
    );
    scene.note("postgres.others", sent, got);
    outcome
}

/// Who is let in without a password. The server says so before it looks whether there is such a role or database.
fn let_in(scene: &mut Scene<'_>) -> Option<String> {
    let is_let_in = |entrance: &Entrance| entrance.asked == Some(Asked::Nothing);
    let callers = callers(scene);
    let mut ways = vec![Way::ClearText, Way::Tls];
    if shows_certificate(scene) {
        ways.push(Way::Certificate);
    }
    for host in scene.remote.hosts.clone() {
        for way in &ways {
            if let Ok(Some(who)) = first(scene, &callers, &host, *way, is_let_in) {
                return Some(who);
            }
        }
    }
    None
}

/// Whether a server answers any of the others in clear text.
pub fn clear_text(scene: &mut Scene<'_>) -> ClearText {
    let is_answered = |entrance: &Entrance| entrance.asked.is_some();
    let callers = callers(scene);
    for host in scene.remote.hosts.clone() {
        match first(scene, &callers, &host, Way::ClearText, is_answered) {
            Ok(Some(_)) => return ClearText::Accepted,
            Ok(None) => {}
            Err(error) => return ClearText::Unknown(error.to_string()),
        }
    }
    ClearText::Refused
}

/// How others are let in, if they are.
pub enum Others {
    LetIn(String),
    Trusted(Vec<Rule>),
    ClearTextPasswords(Vec<Rule>),
    Unseen(UnknownReason, String),
    MustLogIn,
}

/// Tries them, and reads the lines for those who could not be tried.
pub fn others(scene: &mut Scene<'_>) -> Others {
    if let Some(who) = let_in(scene) {
        return Others::LetIn(who);
    }
    match rules(scene) {
        Ok(rules) if !rules.trusting.is_empty() => Others::Trusted(rules.trusting),
        Ok(rules) if !rules.passwords_in_clear_text.is_empty() => {
            Others::ClearTextPasswords(rules.passwords_in_clear_text)
        }
        Ok(_) => Others::MustLogIn,
        Err((reason, why)) => Others::Unseen(reason, why),
    }
}

impl Others {
    /// The finding if some users need no login.
    pub fn need_no_login(&self, feature: Feature) -> Option<AuditFinding> {
        let (severity, summary) = match self {
            Self::LetIn(who) if feature == Feature::Authentication => (
                AuditSeverity::Critical,
                format!(
                    "The user of the address must log in, but others are let in without a password: {who}."
                ),
            ),
            Self::LetIn(who) => (
                AuditSeverity::High,
                format!(
                    "Other users are let in without a password, so anyone can act with their rights: {who}."
                ),
            ),
            Self::Trusted(rules) => (
                if rules.iter().all(Rule::is_for_this_machine_only) {
                    AuditSeverity::Medium
                } else {
                    AuditSeverity::High
                },
                format!(
                    "This login is checked, but other lines of pg_hba.conf trust any client: {}.",
                    shown(rules)
                ),
            ),
            Self::ClearTextPasswords(_) | Self::Unseen(..) | Self::MustLogIn => return None,
        };
        Some(AuditFinding::partial(feature, summary).mend(severity, FIX))
    }

    /// The finding where it was not seen whether others must log in.
    pub fn unseen(&self, feature: Feature, seen: &str) -> Option<AuditFinding> {
        match self {
            Self::Unseen(reason, why) => Some(AuditFinding::unknown(
                feature,
                *reason,
                format!("{seen} The rules of other users and databases are unknown: {why}."),
            )),
            _ => None,
        }
    }
}

/// A few lines, and how many more.
pub fn shown(rules: &[Rule]) -> String {
    let mut texts: Vec<String> = rules.iter().take(SHOWN).map(Rule::shown).collect();
    if rules.len() > SHOWN {
        texts.push(format!("{} more", rules.len() - SHOWN));
    }
    texts.join("; ")
}
