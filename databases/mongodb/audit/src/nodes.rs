//! Encryption between the members of a replica set, which talk over the port of clients.

use std::sync::Arc;

use bson::doc;
use dbdyno_audit::{ClearText, Scene};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{administrator, ask_without_login, granted, hosts};
use crate::message::ask;
use crate::wire::WIRE;

const FIX: &str =
    "net.tls.mode: requireTLS on every member, net.tls.clusterFile, security.clusterAuthMode: x509";

/// The connections that one member accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    /// TLS, and nothing else.
    Encrypted,
    /// Both.
    Either,
    /// Clear text only.
    Clear,
    /// It was not seen.
    Unknown,
}

/// Every member must speak TLS and refuse clear text: then other members cannot send it clear text either.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    // Servers before 4.4.2 know the older greeting only.
    let hello = ask_without_login(scene, doc! { "hello": 1 }).and_then(|reply| {
        if reply.is_ok() {
            Ok(reply)
        } else {
            granted(ask_without_login(scene, doc! { "isMaster": 1 })?)
        }
    });
    let hello = match hello {
        Ok(hello) => hello,
        Err(error) => {
            let why = format!("Whether there are other nodes is unknown: {error}.");
            return AuditFinding::unknown(feature, UnknownReason::Unreachable, why);
        }
    };
    // Members without votes for a primary and those without data are listed apart, hidden ones in the set's configuration only.
    let named: usize = ["hosts", "passives", "arbiters"]
        .into_iter()
        .map(|list| hello.0.get_array(list).map_or(0, Vec::len))
        .sum();
    scene.note("mongodb.hello", "hello", format!("{named} members of a set"));
    if hello.0.get_str("msg").is_ok_and(|word| word == "isdbgrid") {
        let why = "A router of a sharded cluster: its shards are other servers; audit each.";
        return AuditFinding::unknown(feature, UnknownReason::Unexpected, why);
    }
    if hello.0.get_str("setName").is_err() {
        return AuditFinding::not_applicable(
            feature,
            "One server without a replica set: no other server receives data.",
        );
    }
    let known = hosts(scene.remote).to_vec();
    let seen: Vec<Member> = known.iter().map(|host| look_at(scene, host)).collect();
    let configured = configured(scene);
    judge(&seen, named, configured).see(WIRE.reference)
}

/// How many members the set has, including hidden ones, which only an administrator sees.
fn configured(scene: &mut Scene<'_>) -> Option<usize> {
    let reply = administrator(scene)
        .and_then(|mut channel| granted(ask(&mut channel, "admin", doc! { "replSetGetConfig": 1 })?));
    let members = reply.map(|reply| {
        let config = reply.0.get_document("config").ok()?;
        Some(config.get_array("members").ok()?.len())
    });
    let got = members.clone().map(|members| match members {
        Some(members) => format!("{members} members"),
        None => "no list of members".to_owned(),
    });
    scene.note_outcome("mongodb.set", "replSetGetConfig, as the administrator", &got);
    members.ok().flatten()
}

fn look_at(scene: &mut Scene<'_>, host: &HostPort) -> Member {
    let outcome = scene.trusting().and_then(|anybody| {
        let channel = scene.open_to(host)?;
        channel.secure(host, Arc::clone(&anybody)).map(drop)
    });
    scene.note_outcome(
        "mongodb.member-tls",
        format!("ClientHello to {host}"),
        &outcome.clone().map(|()| "a handshake".to_owned()),
    );
    // A member that wants a certificate which we do not have speaks TLS.
    let is_spoken = match &outcome {
        Ok(()) => true,
        Err(error) => error.to_string().contains("ertificate"),
    };
    match (is_spoken, WIRE.clear_text_at(scene, host)) {
        (true, ClearText::Refused) => Member::Encrypted,
        (true, ClearText::Accepted) => Member::Either,
        (false, ClearText::Accepted) => Member::Clear,
        _ => Member::Unknown,
    }
}

/// `hello` lists `named` members to everybody; the configuration of the set has `configured` ones, hidden ones included.
fn judge(seen: &[Member], named: usize, configured: Option<usize>) -> AuditFinding {
    let members = configured.unwrap_or(named).max(named);
    let feature = Feature::NodeToNodeEncryption;
    let count = |kind: Member| seen.iter().filter(|member| **member == kind).count();
    let of = format!("of {} members", seen.len());
    if count(Member::Unknown) > 0 {
        let why = format!("{} {of} gave no answer that says it.", count(Member::Unknown));
        return AuditFinding::unknown(feature, UnknownReason::Unreachable, why);
    }
    if count(Member::Clear) == seen.len() {
        let what = "No member speaks TLS: they send each other data in clear text.";
        return AuditFinding::off(feature, what).mend(AuditSeverity::Medium, FIX);
    }
    if count(Member::Encrypted) < seen.len() {
        let what = format!(
            "{} {of} speak TLS and answer in clear text too, {} speak clear text only: what they send each other may be readable.",
            count(Member::Either),
            count(Member::Clear)
        );
        return AuditFinding::partial(feature, what).mend(AuditSeverity::Medium, FIX);
    }
    if seen.len() < members {
        let why = format!(
            "The {} members of the address speak TLS only; the set has {members}: name them all.",
            seen.len()
        );
        return AuditFinding::unknown(feature, UnknownReason::Unexpected, why);
    }
    if configured.is_none() {
        let why = format!(
            "The {members} members that `hello` lists speak TLS only; it takes an administrator (--administrator) to see hidden ones."
        );
        return AuditFinding::unknown(feature, UnknownReason::NoPrivilege, why);
    }
    AuditFinding::enforced(
        feature,
        format!(
            "All {members} members speak TLS and refuse clear text, on the port that they use among each other."
        ),
    )
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::ProtectionLevel;

    use super::*;

    #[test]
    fn the_weakest_member_counts() {
        use Member::{Clear, Either, Encrypted};
        for (seen, members, level) in [
            (vec![Encrypted; 3], 3, ProtectionLevel::Enforced),
            (vec![Encrypted; 2], 3, ProtectionLevel::Unknown),
            (vec![Encrypted, Encrypted, Either], 3, ProtectionLevel::Partial),
            (vec![Encrypted, Clear], 3, ProtectionLevel::Partial),
            (vec![Clear; 3], 3, ProtectionLevel::SupportedOff),
            (vec![Clear, Member::Unknown], 2, ProtectionLevel::Unknown),
        ] {
            assert_eq!(judge(&seen, members, Some(members)).level, level, "{seen:?}");
        }
        // A hidden member in the configuration, and a configuration that nobody may read.
        let three = vec![Encrypted; 3];
        assert_eq!(judge(&three, 3, Some(4)).level, ProtectionLevel::Unknown);
        assert_eq!(judge(&three, 3, None).level, ProtectionLevel::Unknown);
    }
}
