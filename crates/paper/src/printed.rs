//! A paper's tables, as the rules of the linter take them.

use dbdyno_lint::{Clients, Copies, Figure, Memory, Printed, Protocol};
use toml::Value;

use crate::stated::{has_open_part, is_open};
use crate::topology::{Deployment, Topology};
use crate::{Paper, Table, Version, statements};

/// What a paper printed, with the rows of its tables numbered through all of them.
#[must_use]
pub fn printed(paper: &Paper) -> Printed {
    let mut printed = Printed {
        protocol: protocol(paper),
        rates: statements::rates(paper),
        better: statements::better(paper),
        ratios: statements::ratios(paper),
        differences: statements::differences(paper),
        trends: statements::trends(paper),
        claims: statements::claims(paper),
        ranges: statements::ranges(paper),
        properties: statements::properties(paper),
        ..Printed::default()
    };
    for (index, table) in paper.tables.iter().enumerate() {
        printed.add(of_table(paper, table, paper.row_number(index, 0)));
    }
    let points = paper.points.iter();
    printed
        .lines
        .extend(points.map(|point| statements::point(paper, point)));
    printed
}

fn of_table(paper: &Paper, table: &Table, first_row: usize) -> Printed {
    let mut printed = table.as_printed(first_row).printed();
    let workload = table.workload.as_ref();
    let known = paper.workloads.iter().find(|known| Some(&known.id) == workload);
    for line in &mut printed.lines {
        line.mix = known.map_or_else(Vec::new, |workload| workload.mix.clone().into_iter().collect());
    }
    for change in &mut printed.changes {
        let mut rows = table.rows.iter().enumerate();
        let row = rows.find(|(row, _)| change.place.is_about(first_row + row));
        let label = row.and_then(|(_, cells)| cells.first());
        let again = label.and_then(|label| table.again.get(&label.to_string()));
        let again = again.and_then(|id| paper.tables.iter().find(|table| table.id == *id));
        change.again_s = again.and_then(mean_run_time_s).map(Figure::exact);
    }
    printed
}

fn mean_run_time_s(table: &Table) -> Option<f64> {
    let times: Option<Vec<f64>> = (0..table.rows.len())
        .map(|row| table.number(row, "run_time_ms"))
        .collect();
    let times = times.filter(|times| !times.is_empty())?;
    Some(times.iter().sum::<f64>() / times.len() as f64 / 1e3)
}

fn protocol(paper: &Paper) -> Protocol {
    let number = |name: &str| paper.protocol.get(name).and_then(as_number);
    let stated = number("threads").map(|number| Clients { number, stated: true });
    let inferred = number("threads_inferred").map(|number| Clients {
        number,
        stated: false,
    });
    let runs = number("runs").or_else(|| number("runs_inferred"));
    let numbers = |name: &str| -> Vec<f64> {
        let value = paper.protocol.get(name).and_then(Value::as_array);
        value.into_iter().flatten().filter_map(as_number).collect()
    };
    Protocol {
        clients: stated.or(inferred),
        runs: runs.map(|runs| runs as u32),
        operations: numbers("op_counts"),
        records: numbers("record_counts"),
        missing: missing(paper),
        copies: copies(paper),
        memory: paper
            .memory
            .iter()
            .map(|memory| Memory {
                place: memory.place.as_str().into(),
                servers: memory.servers,
                each_gb: memory.each_gb,
                host_gb: memory.host_gb,
            })
            .collect(),
        placements: statements::placements(paper),
        unreported: statements::unreported(paper),
    }
}

/// Copies of each record by set-up, for those set-ups in which the paper states them of single systems.
fn copies(paper: &Paper) -> Vec<Copies> {
    let database = |id: &str| {
        let system = paper.systems.iter().find(|system| system.id == id);
        system.map(|system| system.db.clone())
    };
    let of = |(name, topology): (&String, &Topology)| {
        let ids = topology.system.keys();
        let deployed: Vec<(String, Deployment)> = ids
            .filter_map(|id| Some((database(id)?, topology.of(id))))
            .collect();
        let nodes = deployed.first()?.1.nodes;
        let is_alike = deployed.iter().all(|(_, deployment)| deployment.nodes == nodes);
        let copies = deployed
            .iter()
            .map(|(database, deployment)| Some((database.clone(), f64::from(deployment.copies?))));
        let mut systems = copies.collect::<Option<Vec<_>>>()?;
        systems.sort_by(|one, other| one.0.cmp(&other.0));
        Some(Copies {
            place: topology.name.as_deref().unwrap_or(name).into(),
            systems,
            nodes: nodes.filter(|_| is_alike).map(f64::from),
        })
    };
    paper.topology.iter().filter_map(of).collect()
}

fn as_number(value: &Value) -> Option<f64> {
    value
        .as_float()
        .or_else(|| value.as_integer().map(|number| number as f64))
}

/// What a reader would need, and the paper says nothing of.
fn missing(paper: &Paper) -> Vec<String> {
    let mut missing: Vec<String> = paper
        .systems
        .iter()
        .filter(|system| matches!(system.version, Version::NotStated(_)))
        .map(|system| format!("version of {}", system.id))
        .collect();
    if has_open_part(&paper.head.client) {
        missing.push("version of the client".to_owned());
    }
    let protocol = paper.protocol.iter();
    missing.extend(
        protocol
            .filter(|(_, value)| is_open(value))
            .map(|(name, _)| name.replace('_', " ")),
    );
    missing
}
