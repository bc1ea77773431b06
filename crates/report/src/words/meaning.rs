//! What findings mean for the numbers of a run, in words.

use dbdyno_record::{Finding, Severity};

/// What the finding means for whoever reads the numbers.
pub fn meaning(finding: &Finding) -> &'static str {
    of_code(finding.code()).unwrap_or(match finding.severity {
        Severity::Invalid => "The numbers of this run cannot be used.",
        Severity::Warning => "The numbers may differ from those of an undisturbed run.",
        Severity::Note => "The numbers can be used.",
    })
}

fn of_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "debug-build" => "Throughput is lower and latency higher than the database allows.",
        "host-other-processes" | "host-steal" | "host-throttled" => {
            "The database had less CPU time than it would have on an idle machine: expect more throughput and less latency there."
        }
        "host-other-io" | "shared-disk" => {
            "The database had less of the disk than it would have alone: expect more throughput and less latency there."
        }
        "nodes-share-disk" => {
            "More nodes got no more disk: a cluster whose nodes have disks of their own can be faster."
        }
        "host-swapped" | "host-memory-pressure" | "memory-filled" => {
            "Memory was short: parts of the time measured were spent waiting for memory, not on the operations."
        }
        "cpu-saturated" | "client-thread-saturated" | "scheduling-lag" => {
            "The client was short of CPU time: the throughput may be the client's limit, and latencies include its delays."
        }
        "tool-is-bottleneck" => {
            "A part of each latency is dbdyno's own: differences between databases are larger than shown."
        }
        "too-short" | "few-samples" => {
            "High percentiles rest on few operations: another run can give quite different ones."
        }
        "not-found" | "verification-failed" => {
            "The database lost or changed data that it had acknowledged: its speed is not that of a correct answer."
        }
        "errors" | "only-errors" => {
            "Failed operations are no throughput, and percentiles include the time that they waited."
        }
        "rate-not-sustained" => {
            "Response times grow for as long as the run lasts: they describe the backlog, not the database."
        }
        "interrupted" => "The numbers cover the time until the interrupt.",
        "clients-stuck" => "The database stopped answering: the percentiles are lower bounds.",
        "no-steady-state" | "slow-start" | "never-warm" => {
            "The speed changed during the run: one number does not describe it, and a longer run can give another one."
        }
        "pauses" => {
            "The database stopped for moments: the mean depends on how many of them a run happens to include."
        }
        "still-compiling" => "The database's virtual machine was still compiling: it becomes faster later.",
        "fits-in-memory" => "The data fit into memory: the numbers say nothing about reads from the disk.",
        "idle-servers" => {
            "Servers that were not measured ran beside: they may have taken CPU time and memory."
        }
        "steadiness-not-judged" => "The run was too short to show whether the speed had settled.",
        _ => return None,
    })
}
