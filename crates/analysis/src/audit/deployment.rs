//! Which audit belongs to which measured system.

use dbdyno_record::SystemRecord;
use dbdyno_record::audit::AuditRecord;
use dbdyno_trial::lab_request;

/// Whether an audit is of the system that was measured: the same deployment, in the same version.
pub fn is_of(audit: &AuditRecord, system: &SystemRecord) -> bool {
    let is_same_version = audit.version.is_empty() || audit.version == system.version;
    audit.database == system.driver
        && is_same_version
        && deployment(&audit.system) == deployment(&system.address)
}

/// What of an address says which servers are meant: all of a lab's request; of others neither the login nor the options, which
/// are the client's.
fn deployment(address: &str) -> String {
    if lab_request(address).is_some() {
        return address.to_owned();
    }
    let place = address.split('?').next().unwrap_or_default();
    let (scheme, rest) = place.split_once("://").unwrap_or(("", place));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_does_not_make_another_deployment() {
        assert_eq!(
            deployment("postgres://me:***@h:5432/db?durability=synced"),
            deployment("postgres://admin@h:5432/db?password_file=f")
        );
        assert_ne!(
            deployment("postgres://h:5432/db"),
            deployment("postgres://h:5433/db")
        );
        assert_ne!(deployment("lab:redis"), deployment("lab:redis?security=hardened"));
    }
}
