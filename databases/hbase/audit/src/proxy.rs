//! Proxy users of Hadoop: whether one user can act as another.

use dbdyno_audit::{Scene, Stranger, shortened};
use dbdyno_driver::ErrorClass;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::access::{FIX, SECURITY, right, stranger};
use crate::driven::{connected, short_name};

/// What the client says of a server that ends its connections.
const REFUSAL: &str = "ConnectionClosedException";

/// Whether one user can act as another without a grant.
pub fn roles(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::ProxyRoles;
    let finding = match stranger(scene) {
        Stranger::Served => AuditFinding::off(
            feature,
            "Any client can act as any user: the servers take every name on trust.",
        )
        .mend(AuditSeverity::High, FIX),
        Stranger::Refused => of_application(scene),
        Stranger::Unknown(why) => AuditFinding::not_observed(feature, &why),
    };
    finding.see(SECURITY)
}

/// The login of the application acts as the administrator. A server that refuses ends the connection without a word that reaches
/// its client; so the login must work as itself, before and after.
fn of_application(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::ProxyRoles;
    let unknown = |why: String| {
        let text = format!("Whether the application's login may act as another is unknown: {why}.");
        AuditFinding::unknown(feature, UnknownReason::NoPrivilege, text)
    };
    match right(scene) {
        Ok(true) => {}
        Ok(false) => return unknown("the address has no principal".to_owned()),
        Err(why) => return unknown(why),
    }
    let own = scene.unused_name().to_owned();
    let other = scene.administrator_target.and_then(short_name).unwrap_or(own);
    let mut target = scene.target.clone();
    target.options.insert("do_as".to_owned(), other.clone());
    let patience = format!("{}ms", scene.patience.as_millis());
    target.options.insert("connect_timeout".to_owned(), patience);
    let outcome = connected(scene, &target, async |_| Ok(()));
    let got = outcome
        .as_ref()
        .map_or_else(|error| error.message.as_str(), |()| "accepted");
    scene.note(
        "hbase.proxy-user",
        format!("the application's login, as {other}"),
        got,
    );
    match outcome {
        Ok(()) => AuditFinding::partial(
            feature,
            "The application's login may act as another user, with that user's rights.",
        )
        .mend(
            AuditSeverity::High,
            "hadoop.security.authorization=true in hbase-site.xml: without it nobody asks for hadoop.proxyuser.*; and no hadoop.proxyuser.USER.* for the application's user, only for gateways, with their hosts and users by name",
        ),
        // Whatever else went wrong is no refusal.
        Err(error) if error.class == ErrorClass::Auth || error.message.contains(REFUSAL) => match right(scene) {
            Ok(true) => AuditFinding::enforced(
                feature,
                "The application's login works as itself and not as another user.",
            ),
            _ => unknown(shortened(&error.message)),
        },
        Err(error) => unknown(shortened(&error.message)),
    }
}
