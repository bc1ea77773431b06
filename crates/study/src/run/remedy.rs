//! Remedies for trials that the engine refuses. The engine names the cause; the flags and properties that mend it are named here.

use dbdyno_engine::{EngineError, MemoryUse, PlanError, TableFault};
use dbdyno_workload::MOST_CLIENTS;

/// The error in words, with the flags and properties that mend it where there are any.
#[must_use]
pub fn explained(error: &EngineError) -> String {
    match remedy(error) {
        Some(remedy) => format!("{error}; {remedy}"),
        None => error.to_string(),
    }
}

fn remedy(error: &EngineError) -> Option<String> {
    let remedy = match error {
        EngineError::Plan(error) => return of_plan(error),
        EngineError::Table { fault, .. } => of_table(fault),
        EngineError::Shape { property, found, .. } => {
            return Some(format!(
                "give --fresh to drop the table and load it anew, or -p {property}={found} to use what is there"
            ));
        }
        EngineError::System { .. } => {
            "ask for fewer --clients, or raise its limits (`ulimit -n`, `ulimit -u`)"
        }
        EngineError::NoDriver(_)
        | EngineError::Connect { .. }
        | EngineError::Database { .. }
        | EngineError::Load { .. }
        | EngineError::Disbanded(_)
        | EngineError::NoGenerators(_)
        | EngineError::Generator { .. }
        | EngineError::Client(_) => return None,
    };
    Some(remedy.to_owned())
}

fn of_plan(error: &PlanError) -> Option<String> {
    let remedy = match error {
        PlanError::NoClients => "give --clients 1 or more",
        PlanError::TooManyClients => return Some(format!("give --clients {MOST_CLIENTS} or fewer")),
        PlanError::NoRate => "leave --rate out to go as fast as possible",
        PlanError::NoEnd => "give --operations or --duration",
        PlanError::FreshWithoutLoad => "leave out --fresh, or load first",
        PlanError::NothingDue => "measure for longer, or at a higher rate",
        PlanError::Memory {
            of: MemoryUse::Records { .. },
            ..
        } => "lower --records, fieldcount or fieldlength",
        PlanError::Memory {
            of: MemoryUse::Buffers { .. },
            ..
        } => "lower --clients, fieldcount, fieldlength or maxscanlength",
        PlanError::Workload(_) => return None,
    };
    Some(remedy.to_owned())
}

fn of_table(fault: &TableFault) -> &'static str {
    match fault {
        TableFault::UnreadableManifest(_) | TableFault::Foreign => {
            "give --fresh to drop the table and load it anew"
        }
        TableFault::HalfLoaded | TableFault::Holes | TableFault::Empty => "load it first",
        TableFault::Lacking { .. } => "load it with --fresh",
        TableFault::TooFew(_) => "load it first, or set recordcount to what is there",
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use dbdyno_driver::{DbError, ErrorClass};
    use dbdyno_engine::{MemorySize, TableEnd};

    use super::*;

    #[test]
    fn what_a_plan_asks_for_is_named_by_its_flag() {
        let memory = |of| PlanError::Memory {
            of,
            needed: MemorySize(20_000_000_000),
            available: MemorySize(2_000_000_000),
        };
        let records = MemoryUse::Records {
            records: 1_000_000,
            each: MemorySize(20_000),
            driver: "memory",
        };
        let buffers = MemoryUse::Buffers {
            clients: 100,
            each: MemorySize(400_000_000),
        };
        for (error, words) in [
            (
                PlanError::NoClients,
                "a trial needs at least one client; give --clients 1 or more",
            ),
            (
                PlanError::TooManyClients,
                "a trial has at most 10000 clients; give --clients 10000 or fewer",
            ),
            (
                PlanError::NoRate,
                "the rate must be above 0 operations per second; leave --rate out to go as fast as possible",
            ),
            (
                PlanError::NoEnd,
                "the measured phase has no end; give --operations or --duration",
            ),
            (
                PlanError::FreshWithoutLoad,
                "a run without a load cannot start from a fresh table; leave out --fresh, or load first",
            ),
            (
                PlanError::NothingDue,
                "no operation is due in the measured phase; measure for longer, or at a higher rate",
            ),
            (
                memory(records),
                "this needs 20 GB of memory for 1000000 records of about 20 KB in `memory`, and 2000 MB are available; \
                 lower --records, fieldcount or fieldlength",
            ),
            (
                memory(buffers),
                "this needs 20 GB of memory for 100 clients with 400 MB of buffers each, and 2000 MB are available; lower \
                 --clients, fieldcount, fieldlength or maxscanlength",
            ),
        ] {
            assert_eq!(explained(&error.into()), words);
        }
    }

    #[test]
    fn a_table_that_cannot_be_used_says_how_to_replace_it() {
        let lacking = TableFault::Lacking {
            end: TableEnd::Last,
            records: 200,
        };
        for (fault, words) in [
            (
                TableFault::UnreadableManifest("not JSON".to_owned()),
                "has a manifest that this version cannot read (not JSON); give --fresh to drop the table and load it anew",
            ),
            (TableFault::HalfLoaded, "was not loaded completely; load it first"),
            (
                TableFault::Holes,
                "was left with holes by a run that deletes; load it first",
            ),
            (
                lacking,
                "lacks records that its manifest promises (its last of 200 records); load it with --fresh",
            ),
            (TableFault::Empty, "is empty; load it first"),
            (
                TableFault::TooFew(300),
                "does not hold the 300 records this workload runs on; load it first, or set recordcount to what is there",
            ),
            (
                TableFault::Foreign,
                "holds records that dbdyno did not load; give --fresh to drop the table and load it anew",
            ),
        ] {
            let error = EngineError::Table {
                system: "redb:/data".to_owned(),
                table: "usertable".to_owned(),
                fault,
            };
            assert_eq!(
                explained(&error),
                format!("table `usertable` of redb:/data {words}")
            );
        }
        let shape = EngineError::Shape {
            system: "redb:/data".to_owned(),
            table: "usertable".to_owned(),
            property: "fieldcount".to_owned(),
            found: "10".to_owned(),
            wanted: "5".to_owned(),
        };
        assert_eq!(
            explained(&shape),
            "table `usertable` of redb:/data was loaded with fieldcount=10, and this workload has fieldcount=5; give \
             --fresh to drop the table and load it anew, or -p fieldcount=10 to use what is there"
        );
    }

    #[test]
    fn what_no_flag_mends_is_told_as_it_is() {
        let refused = EngineError::System {
            what: "a thread for clients",
            error: io::Error::other("no more"),
        };
        assert_eq!(
            explained(&refused),
            "the operating system refused a thread for clients: no more; ask for fewer --clients, or raise its limits \
             (`ulimit -n`, `ulimit -u`)"
        );
        let away = EngineError::Connect {
            system: "redis://host".to_owned(),
            error: DbError::new(ErrorClass::Unavailable, "it is away"),
        };
        assert_eq!(explained(&away), away.to_string());
    }
}
