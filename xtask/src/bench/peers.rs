//! The peer: YCSB's own client, on a database that does nothing.

use crate::process::{Result, command};
use crate::ycsb;

use super::measure::{Run, throughput, watch};

/// Records in the keyspace of every case.
pub const RECORDS: u64 = 1_000_000;

/// What is asked.
#[derive(Clone, Copy)]
pub enum PeerWork {
    /// YCSB's workload C.
    ReadOnly,
    /// YCSB's workload A.
    UpdateHeavy,
    /// The load phase.
    Load,
}

/// One work at one number of clients.
pub struct Case {
    /// What is asked.
    pub work: PeerWork,
    /// By how many clients, each on a thread.
    pub threads: u32,
}

impl Case {
    /// Every case, in the order of the table.
    pub const ALL: [Self; 6] = [
        Self {
            work: PeerWork::ReadOnly,
            threads: 1,
        },
        Self {
            work: PeerWork::ReadOnly,
            threads: 2,
        },
        Self {
            work: PeerWork::UpdateHeavy,
            threads: 1,
        },
        Self {
            work: PeerWork::UpdateHeavy,
            threads: 2,
        },
        Self {
            work: PeerWork::Load,
            threads: 1,
        },
        Self {
            work: PeerWork::Load,
            threads: 2,
        },
    ];

    /// How many operations keep YCSB busy for about that long on the machines it was first measured on.
    pub fn operations(&self, seconds: u32) -> u64 {
        let million_per_second = match self.work {
            PeerWork::ReadOnly => 5,
            PeerWork::UpdateHeavy => 4,
            PeerWork::Load => 1,
        };
        million_per_second * 1_000_000 * u64::from(seconds)
    }

    /// The ratio to YCSB that dbdyno promises itself.
    pub fn wanted_ratio(&self) -> f64 {
        match (self.work, self.threads) {
            (PeerWork::Load, _) => 8.0,
            (_, 1) => 3.0,
            _ => 5.0,
        }
    }
}

/// YCSB, ready to run.
pub struct Ycsb {
    /// Its jars and the bench's own database classes.
    pub class_path: String,
}

impl Ycsb {
    /// Fetches YCSB's core and compiles the bench's own database classes.
    pub fn prepare() -> Result<Self> {
        Ok(Self {
            class_path: ycsb::compile("bench-peers")?,
        })
    }

    /// Runs one case.
    pub fn measure(&self, case: &Case, operations: u64) -> Result<Run> {
        let (database, phase, update) = match case.work {
            PeerWork::ReadOnly => ("site.ycsb.BasicDB", "-t", "0"),
            PeerWork::UpdateHeavy => ("SinkDB", "-t", "0.5"),
            PeerWork::Load => ("SinkDB", "-load", "0"),
        };
        let records = if matches!(case.work, PeerWork::Load) {
            operations
        } else {
            RECORDS
        };
        let mut java = command(
            "java",
            &[
                "-cp",
                &self.class_path,
                "site.ycsb.Client",
                "-db",
                database,
                phase,
            ],
        );
        java.args(["-threads", &case.threads.to_string()]);
        for property in [
            "workload=site.ycsb.workloads.CoreWorkload".to_owned(),
            "requestdistribution=zipfian".to_owned(),
            // It would print every operation otherwise.
            "basicdb.verbose=false".to_owned(),
            format!("recordcount={records}"),
            format!("operationcount={operations}"),
            format!("updateproportion={update}"),
            format!("readproportion={}", if update == "0" { "1" } else { "0.5" }),
        ] {
            java.args(["-p", &property]);
        }
        let finished = watch(&mut java)?;
        Ok(Run {
            operations_per_second: throughput(&finished.text)?,
            peak_memory_bytes: finished.peak_memory_bytes,
        })
    }
}
