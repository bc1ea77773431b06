//! Records as files keep them: with the factors and settings that follow from the specification, which in old and imported records is
//! made from them.

use dbdyno_trial::{SystemSpec, TrialSpec, WarmUp};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Floor, GeneratorRecord, LoadRecord, MeasureRecord, Skew, TrialRecord, WorkloadRecord};
use crate::asked::{self, Factors, Settings};
use crate::{Conditions, Finding, SystemRecord, TrialStatus};

/// A record, field by field in the order of its file.
#[derive(Serialize, Deserialize)]
#[serde(remote = "TrialRecord", deny_unknown_fields)]
struct OnDisk {
    format: String,
    study: String,
    trial: String,
    block: u32,
    position: u32,
    seed: u64,
    started_at: String,
    #[serde(getter = "factors")]
    factors: Factors,
    /// `None` in records of format 1, and in imported ones.
    #[serde(getter = "spec", default, skip_serializing_if = "Option::is_none")]
    spec: Option<TrialSpec>,
    system: SystemRecord,
    workload: WorkloadRecord,
    #[serde(getter = "settings")]
    settings: Settings,
    status: TrialStatus,
    load: Option<LoadRecord>,
    measure: Option<MeasureRecord>,
    floor: Floor,
    skew: Option<Skew>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    generators: Vec<GeneratorRecord>,
    findings: Vec<Finding>,
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    conditions: Conditions,
}

fn factors(record: &TrialRecord) -> Factors {
    asked::factors_of(&record.spec)
}

fn spec(record: &TrialRecord) -> Option<TrialSpec> {
    asked::whole(&record.spec)
}

fn settings(record: &TrialRecord) -> Settings {
    Settings::of(&record.spec, record.threads)
}

impl OnDisk {
    /// What an old or imported trial was asked to do.
    fn old_spec(&self) -> TrialSpec {
        let spec = self.settings.spec(&self.factors);
        TrialSpec {
            system: SystemSpec {
                address: self.system.address.clone(),
                ..spec.system
            },
            records: self.workload.records,
            warmup: WarmUp {
                until_steady: self.conditions.warmup_ns.is_some(),
                ..spec.warmup
            },
            ..spec
        }
    }
}

impl From<OnDisk> for TrialRecord {
    fn from(read: OnDisk) -> Self {
        let spec = read.spec.clone().unwrap_or_else(|| read.old_spec());
        Self {
            format: read.format,
            study: read.study,
            trial: read.trial,
            block: read.block,
            position: read.position,
            seed: read.seed,
            started_at: read.started_at,
            spec,
            threads: read.settings.threads,
            system: read.system,
            workload: read.workload,
            status: read.status,
            load: read.load,
            measure: read.measure,
            floor: read.floor,
            skew: read.skew,
            generators: read.generators,
            findings: read.findings,
            conditions: read.conditions,
        }
    }
}

impl Serialize for TrialRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        OnDisk::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for TrialRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OnDisk::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_trial::Factor;
    use serde_json::Value;

    use super::*;
    use crate::trial::tests::example;

    #[test]
    fn factors_and_settings_are_written_from_the_specification() {
        let mut record = example("x");
        record.spec.factors.insert(Factor::Operations);
        let text = serde_json::to_string(&record).unwrap();
        let beginning = [
            r#"{"format":"dbdyno.trial/4","study":"example","trial":"x","block":0,"position":0,"seed":42,"#,
            r#""started_at":"2026-01-02T03:04:05Z","factors":{"clients":"2","operations":"1007","system":"memory","#,
            r#""workload":"a"},"spec":{"system":{"name":"memory","address":""},"workload":"a","records":500,"clients":2,"#,
        ];
        assert!(text.starts_with(&beginning.concat()), "{text}");
        let settings = [
            r#""properties":{"recordcount":"500"}},"settings":{"clients":2,"threads":2,"rate":null,"arrivals":null,"#,
            r#""warmup_ns":0,"operations":1007,"duration_ns":null},"status":{"state":"completed"},"#,
        ];
        assert!(text.contains(&settings.concat()), "{text}");
        assert_eq!(serde_json::from_str::<TrialRecord>(&text).unwrap(), record);
    }

    #[test]
    fn a_record_of_format_1_is_written_as_it_was_read() {
        let old = include_str!("../../tests/fixtures/folder-v1/trials/b0-memory-a/record.json");
        let record: TrialRecord = serde_json::from_str(old).unwrap();
        assert_eq!((record.spec.clients, record.spec.rate()), (2, Some(500.0)));
        let old: Value = serde_json::from_str(old).unwrap();
        let again = serde_json::to_value(&record).unwrap();
        for key in ["factors", "settings", "spec"] {
            assert_eq!(again.get(key), old.get(key), "{key}");
        }
    }
}
