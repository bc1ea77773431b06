//! Which clients may try to log in: addresses that the server listens on, and lines of `pg_hba.conf` without a network.

use dbdyno_audit::{Scene, exposure};
use dbdyno_record::audit::{AuditFinding, ProtectionLevel};

use crate::rule::Rule;
use crate::rules::rules;

const FIX: &str = "listen_addresses = 'localhost', or the one address that clients use";
const CONNECTIONS: &str = "https://www.postgresql.org/docs/current/runtime-config-connection.html";

/// The addresses, and where other hosts reach them the lines that admit every host.
pub fn addresses(scene: &mut Scene<'_>) -> AuditFinding {
    let finding = exposure(scene, FIX, CONNECTIONS);
    if finding.level != ProtectionLevel::Partial {
        return finding;
    }
    match rules(scene) {
        Ok(rules) => with_rules(finding, &rules.from_anywhere),
        // The lines are for administrators; the addresses are seen all the same.
        Err(_) => finding,
    }
}

fn with_rules(mut finding: AuditFinding, from_anywhere: &[Rule]) -> AuditFinding {
    let lines: Vec<String> = from_anywhere.iter().map(Rule::shown).collect();
    if !lines.is_empty() {
        finding.summary.push_str(&format!(
            " Lines of pg_hba.conf let clients from any address try to log in: {}.",
            lines.join("; ")
        ));
        finding
            .fix
            .push_str("; name the networks of clients in pg_hba.conf");
    }
    finding
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::{AuditSeverity, Feature};

    use super::*;

    #[test]
    fn lines_without_a_network_are_named() {
        let row = [
            "host",
            "all",
            "app",
            "0.0.0.0",
            "0.0.0.0",
            "scram-sha-256",
            "",
            "",
        ];
        let rule = Rule::read(&row.map(|text| Some(text.to_owned()))).unwrap();
        let finding = || {
            let summary = "Other hosts can reach 0.0.0.0:5432.";
            AuditFinding::partial(Feature::Exposure, summary).mend(AuditSeverity::Medium, FIX)
        };
        let named = with_rules(finding(), &[rule]);
        assert!(
            named.summary.contains("host all app 0.0.0.0 scram-sha-256"),
            "{named:?}"
        );
        assert!(named.fix.contains("pg_hba.conf"), "{named:?}");
        assert_eq!(with_rules(finding(), &[]).summary, finding().summary);
    }
}
