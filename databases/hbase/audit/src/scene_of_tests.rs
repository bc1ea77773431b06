//! A scene for unit tests, which only an audit makes: one that does a single thing.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dbdyno_audit::{Auditor, Identity, Place, Request, Scene, Vantage};
use dbdyno_driver::remote::Remote;
use dbdyno_driver::{DbError, Target};
use dbdyno_record::audit::{AuditFinding, Feature, UnknownReason};

struct Acting<A, T> {
    act: A,
    done: Mutex<Option<T>>,
}

impl<T: Send, A: Fn(&mut Scene<'_>) -> T + Sync> Auditor for Acting<A, T> {
    fn database(&self) -> &'static str {
        "hbase"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["hbase"]
    }

    fn read(&self, target: &Target) -> Result<Remote, DbError> {
        dbdyno_database_hbase::remote(target)
    }

    fn catalogue(&self) -> &'static str {
        ""
    }

    fn vulnerabilities(&self) -> &'static str {
        ""
    }

    fn identify(&self, _: &mut Scene<'_>) -> Identity {
        Identity::default()
    }

    fn examine(&self, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding {
        let done = (self.act)(scene);
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        AuditFinding::unknown(feature, UnknownReason::NotRequested, "Nothing was looked at.")
    }

    fn clean(&self, _: &mut Scene<'_>) -> Vec<String> {
        Vec::new()
    }
}

/// What becomes of an act in the scene of an audit of this address, without files and with two seconds of patience. Somebody must
/// listen there.
pub fn in_scene<T: Send>(address: &str, act: impl Fn(&mut Scene<'_>) -> T + Sync) -> T {
    let auditor = Acting {
        act,
        done: Mutex::new(None),
    };
    let request = Request {
        target: Target::parse(address).unwrap(),
        administrator: None,
        name: "test".to_owned(),
        place: Place::default(),
        from: Vantage::Here,
        only: vec![Feature::Exposure],
        tries_defaults: false,
        tries_idle_connections: false,
        patience: Duration::from_secs(2),
    };
    dbdyno_audit::run(&auditor, &request, "test", &|| false, &mut |_| {}).unwrap();
    auditor.done.into_inner().unwrap().unwrap()
}
