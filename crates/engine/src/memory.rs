//! Whether this process can have the memory that a trial needs. An allocation that fails ends the process at once, and a
//! machine that runs out of memory may end others instead, so it is asked before.

use dbdyno_driver::{Driver, DriverInfo, Execution, ScanOrder};
use dbdyno_machine::AvailableMemory;
use dbdyno_trial::Phases;
use dbdyno_workload::OperationKind;
use dbdyno_workload::specification::Specification;

use crate::error::{MemorySize, MemoryUse, PlanError};
use crate::host::STACK_BYTES;
use crate::prepared_trial::PreparedTrial;

/// Refuses a plan that needs more than there is.
pub(crate) fn check<D: Driver>(plan: &PreparedTrial, available: AvailableMemory) -> Result<(), PlanError> {
    let specification = plan.workload.specification();
    let table = D::memory_of_table(
        specification.records,
        specification.field_count,
        specification.mean_record_bytes(),
    );
    judge(&D::INFO, table, plan, available)
}

/// `records` is the memory of this process that the table takes, bytes.
fn judge(
    info: &DriverInfo,
    records: u64,
    plan: &PreparedTrial,
    available: AvailableMemory,
) -> Result<(), PlanError> {
    let specification = plan.workload.specification();
    let buffers =
        client_bytes(info, specification, plan.spec.phases).saturating_mul(u64::from(plan.spec.clients));
    let stacks = match info.execution {
        Execution::Blocking => u64::from(plan.spec.clients) * STACK_BYTES as u64,
        Execution::Async => 0,
    };
    let needed = records.saturating_add(buffers);
    // Of a stack only what was used takes memory.
    let lacks = |needed: u64, available: Option<u64>| available.filter(|available| needed > *available);
    let Some((needed, available)) = lacks(needed, available.memory())
        .map(|available| (needed, available))
        .or_else(|| {
            let needed = needed.saturating_add(stacks);
            lacks(needed, available.address_space).map(|available| (needed, available))
        })
    else {
        return Ok(());
    };
    let of = if records >= buffers.saturating_add(stacks) {
        MemoryUse::Records {
            records: specification.records,
            each: MemorySize(records / specification.records.max(1)),
            driver: info.name,
        }
    } else {
        MemoryUse::Buffers {
            clients: plan.spec.clients,
            each: MemorySize(buffers / u64::from(plan.spec.clients.max(1))),
        }
    };
    Err(PlanError::Memory {
        of,
        needed: MemorySize(needed),
        available: MemorySize(available),
    })
}

/// The least that one client's buffers grow to: for the longest records, and for the longest scan.
fn client_bytes(info: &DriverInfo, specification: &Specification, phases: Phases) -> u64 {
    let record = specification.longest_record_bytes();
    let asks = |kind| phases != Phases::LoadOnly && specification.mix.has(kind);
    let changes = asks(OperationKind::Update) || asks(OperationKind::ReadModifyWrite);
    let loads = match phases {
        Phases::LoadOnly => true,
        Phases::LoadAndRun => info.capabilities.stores_records,
        Phases::RunOnly => false,
    };
    let mut records = 0;
    if loads || asks(OperationKind::Insert) || (changes && specification.write_all_fields) {
        records += 1;
    }
    if info.capabilities.stores_records {
        if specification.read_all_fields
            && (asks(OperationKind::Read) || asks(OperationKind::ReadModifyWrite))
        {
            records += 1;
        }
        if asks(OperationKind::Scan) && info.capabilities.scan != ScanOrder::Unsupported {
            let fields = if specification.read_all_fields {
                1
            } else {
                u64::from(specification.field_count)
            };
            records += u64::from(specification.scan_length.max).min(specification.records) / fields;
        }
    }
    record.saturating_mul(records)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use dbdyno_testkit::simulated::Simulated;
    use dbdyno_trial::{SystemSpec, TrialSpec};
    use dbdyno_workload::{Workload, catalogue};

    use super::*;

    const GB: u64 = 1_000_000_000;

    fn plan(workload: &str, clients: u32, properties: &[&str]) -> PreparedTrial {
        let mut all = catalogue::find(workload).unwrap().properties();
        for property in properties {
            all.set(property).unwrap();
        }
        let specification = Specification::from_properties(&all).unwrap().specification;
        PreparedTrial {
            spec: TrialSpec {
                clients,
                ..TrialSpec::new(SystemSpec::default(), "x", 0)
            },
            workload: Arc::new(Workload::new(specification, 42).unwrap()),
            interval: Duration::from_secs(1),
            warmup_interval: None,
            drain: Duration::from_secs(1),
            turns: None,
            part: None,
        }
    }

    fn refusal(plan: &PreparedTrial, table: u64, memory: u64, address_space: Option<u64>) -> Option<String> {
        let available = AvailableMemory {
            machine: Some(memory),
            control_group: None,
            address_space,
        };
        let info = DriverInfo {
            execution: Execution::Blocking,
            ..Simulated::INFO
        };
        judge(&info, table, plan, available)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_table_that_does_not_fit_is_refused_with_both_sizes() {
        let plan = plan("a", 4, &["recordcount=1000000"]);
        assert_eq!(refusal(&plan, GB, 2 * GB, None), None);
        assert_eq!(
            refusal(&plan, 20 * GB, 2 * GB, None).unwrap(),
            "this needs 20 GB of memory for 1000000 records of about 20 KB in `simulated`, and 2000 MB are available"
        );
    }

    #[test]
    fn buffers_of_all_clients_must_fit() {
        let large = ["recordcount=10", "fieldcount=10", "fieldlength=20000000"];
        assert_eq!(refusal(&plan("a", 4, &large), 0, 2 * GB, None), None);
        assert_eq!(
            refusal(&plan("a", 100, &large), 0, 2 * GB, None).unwrap(),
            "this needs 40 GB of memory for 100 clients with 400 MB of buffers each, and 2000 MB are available"
        );
    }

    #[test]
    fn a_scan_returns_no_more_than_there_is() {
        let scans = ["maxscanlength=100000000", "recordcount=1000"];
        assert_eq!(refusal(&plan("e", 4, &scans), 0, GB, None), None);
        let many = ["maxscanlength=100000000", "recordcount=10000000"];
        assert!(refusal(&plan("e", 4, &many), 0, GB, None).is_some());
    }

    #[test]
    fn stacks_count_where_address_space_is_limited() {
        let plan = plan("a", 10_000, &["recordcount=1000"]);
        assert_eq!(refusal(&plan, 0, GB, None), None);
        assert!(refusal(&plan, 0, GB, Some(4 * GB)).is_some());
    }
}
