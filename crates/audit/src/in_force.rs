//! What protects the servers of a trial, seen with its clients' own address: a few connections, none of them harmful.

use std::time::Duration;

use dbdyno_driver::{DbError, Target};
use dbdyno_record::audit::{Feature, redacted};
use dbdyno_record::protection::{Connection, ProtectionRecord};

use crate::auditor::Auditor;
use crate::channel::ChannelError;
use crate::own_name::new_name;
use crate::scene::{Place, Scene};
use crate::tls::name_of;
use crate::vantage::Vantage;

/// How long one connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Observes the servers at this address: what clients that are configured as it says speak, whether a certificate and a login are
/// asked for. With the login of an administrator it sees the rules for other users, too. Nothing is made on the servers.
///
/// # Errors
/// When the address cannot be read.
pub fn in_force(
    auditor: &dyn Auditor,
    target: &Target,
    administrator: Option<&Target>,
) -> Result<ProtectionRecord, DbError> {
    let remote = auditor.read(target)?;
    let of_administrator = administrator.map(|target| auditor.read(target)).transpose()?;
    let (place, from) = (Place::default(), Vantage::default());
    let mut scene = Scene {
        target,
        remote: &remote,
        administrator: of_administrator.as_ref(),
        administrator_target: administrator,
        place: &place,
        from: &from,
        tries_defaults: false,
        tries_idle_connections: false,
        patience: PATIENCE,
        own_name: new_name(jiff::Timestamp::now().as_second(), PATIENCE),
        evidence: Vec::new(),
        tls: None,
    };
    // Clients that are not configured for TLS speak clear text, and the trial shows that they were answered.
    let (connection, asks_for_certificate) = match remote.tls {
        None => (Connection::ClearText, None),
        Some(_) => match agreed(auditor, &mut scene) {
            Ok(connection) => (connection, auditor.asks_for_certificate(&mut scene)),
            Err(error) => (
                Connection::Unknown {
                    why: error.to_string(),
                },
                None,
            ),
        },
    };
    let login = auditor.examine(Feature::Authentication, &mut scene);
    let login_seen = redacted(&login.summary, &scene.secrets());
    Ok(ProtectionRecord {
        connection,
        asks_for_certificate,
        login: login.level,
        login_seen,
    })
}

/// What a handshake with the clients' own configuration agrees on.
fn agreed(auditor: &dyn Auditor, scene: &mut Scene<'_>) -> Result<Connection, ChannelError> {
    let configuration = scene.configuration(scene.remote)?;
    let (host, channel) = auditor.before_tls(scene)?;
    let agreed = channel.secure(&host, configuration)?.agreed();
    Ok(match agreed {
        Some((version, suite, _)) => Connection::Tls {
            version: name_of(version).to_owned(),
            cipher: format!("{suite:?}"),
        },
        None => Connection::Unknown {
            why: "the handshake ended without an agreement".to_owned(),
        },
    })
}
