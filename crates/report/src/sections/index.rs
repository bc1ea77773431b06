//! Many studies as a document: how to read the rows, and the rows by what can be compared.

use dbdyno_document::{
    Block, Column, Document, Filter, Inline, Mark, Media, Order, Render, Row, RowGroup, Section, Table,
    TableCell, Text, Tone,
};

use crate::index::{Group, Index, RankedMedian, Row as StudyRow};
use crate::model::{Metric, Rank};
use crate::number;
use crate::words::figures::MetricFigures;
use crate::words::names::Named;

impl Render for Index {
    fn document(&self) -> Document {
        let extent = [
            number::plural(self.len(), "row", "rows"),
            number::plural(self.groups.len(), "group", "groups"),
            number::plural(self.machines.len(), "machine", "machines"),
        ];
        Document {
            kind: "studies".to_owned(),
            title: number::plural(self.studies, "study", "studies"),
            about: extent.join(" · ").into(),
            body: vec![self.reading().into(), Block::Table(self.table()), legend(), sorting()],
            footer: "Made by dbdyno from the records of the studies. It loads nothing from elsewhere: keep it, mail it, commit it."
                .to_owned(),
            ..Document::default()
        }
    }
}

impl Index {
    fn reading(&self) -> Section {
        let rule = Text::from(
            "Each group contains the same work at the same durability and consistency, on one kind of machine. ",
        )
        .strong("Numbers of different groups are not comparable")
        .plain(
            ". A verdict belongs to the row's own study, whose systems were measured in interleaved trials; rows of \
                 different studies were not, so a difference between them may come from the day.",
        );
        let machines = self.machines.iter();
        let machines = machines.map(|machine| {
            (
                format!("Machine {}", machine.letter).into(),
                Text::from(&machine.name),
            )
        });
        Section::new(
            "reading",
            "What can be compared",
            vec![Block::paragraph(rule), Block::Facts(machines.collect())],
        )
    }

    fn table(&self) -> Table {
        let rows = || self.groups.iter().flat_map(|group| &group.rows);
        let parts = Parts {
            folders: rows().any(|row| row.folder != row.study),
            factors: rows().any(|row| !row.factors.is_empty()),
        };
        let ascending = |title: &str| Column::words(title).sorted(Order::Ascending);
        let columns = [
            Some(ascending("study")),
            // Text has little room, and leads nowhere.
            parts.folders.then(|| ascending("folder").only(Media::PAGE)),
            Some(ascending("date")),
            Some(Column::header("system").sorted(Order::Ascending)),
            Some(ascending("product")),
            parts.factors.then(|| ascending("factors")),
            Some(Column::numbers("throughput").sorted(Order::Descending)),
            Some(Column::numbers("p99 latency").sorted(Order::Ascending)),
            Some(Column::numbers("trials").sorted(Order::Descending)),
        ];
        Table {
            caption: "Rows of all studies".into(),
            columns: columns.into_iter().flatten().collect(),
            groups: self.groups.iter().map(|own| group(own, parts)).collect(),
            filters: [
                ("Product", "product"),
                ("Workload", "workload"),
                ("Durability", "durability"),
            ]
            .map(|(label, key)| Filter { label, key })
            .to_vec(),
            ..Table::default()
        }
    }
}

/// Columns that few indexes have.
#[derive(Clone, Copy)]
struct Parts {
    folders: bool,
    factors: bool,
}

fn group(group: &Group, parts: Parts) -> RowGroup {
    RowGroup {
        title: format!("Workload {}", group.workload).into(),
        about: group.about().into(),
        rows: group.rows.iter().map(|own| row(own, parts)).collect(),
        keys: vec![
            ("workload", group.workload.clone()),
            ("durability", group.durability.to_string()),
        ],
    }
}

fn row(row: &StudyRow, parts: Parts) -> Row {
    let folder = if row.folder == row.study { "" } else { &row.folder };
    let date = row.started_at.get(..10).unwrap_or_default();
    let cells = [
        Some(study(row)),
        parts.folders.then(|| TableCell::new(folder)),
        Some(TableCell::new(date)),
        Some(TableCell::new(&row.system)),
        Some(TableCell::new(&row.product)),
        parts.factors.then(|| TableCell::new(&row.factors)),
        Some(measured(row.throughput.as_ref(), Metric::Throughput)),
        Some(measured(row.latency_p99_ns.as_ref(), Metric::LatencyP99)),
        Some(TableCell::new(row.trials.to_string()).valued(row.trials as f64)),
    ];
    Row {
        keys: vec![("product", row.product.clone())],
        ..Row::new(cells.into_iter().flatten())
    }
}

/// The study, with a link to its own report on a page.
fn study(row: &StudyRow) -> TableCell {
    TableCell::new(match &row.link {
        Some(link) => Text::new().link(&row.study, link),
        None => Text::from(&row.study),
    })
}

/// `298k/s (292k/s to 309k/s) ▲`.
fn measured(measured: Option<&RankedMedian>, metric: Metric) -> TableCell {
    let Some(measured) = measured else {
        return TableCell::new("–");
    };
    let cell = TableCell::new(measured.text(metric))
        .valued(measured.median)
        .marked(Some(mark(measured.rank)));
    match &measured.interval {
        Some(ends) => cell.detail(format!(
            "{} to {}",
            metric.format(ends.low),
            metric.format(ends.high)
        )),
        None => cell,
    }
}

fn mark(rank: Option<Rank>) -> Mark {
    let (sign, tone) = match rank {
        Some(Rank::Best) => ("▲", Tone::Good),
        Some(Rank::Tied) => ("=", Tone::Same),
        Some(Rank::Close) => ("≈", Tone::Same),
        Some(Rank::Open) => ("?", Tone::Faint),
        Some(Rank::Behind | Rank::NotComparable) | None => ("", Tone::Plain),
    };
    let meaning = match rank {
        Some(rank) => rank.name(),
        None => "",
    };
    Mark { sign, meaning, tone }
}

/// What the buttons in the head of the table do.
fn sorting() -> Block {
    Block::Only(Media::PAGE, vec![Block::note("Sorting keeps to the groups.")])
}

/// What the marks mean.
fn legend() -> Block {
    let sign = |rank| Inline::Mark(mark(Some(rank)));
    let text = Text::from("Medians over completed trials with their 95% intervals (from six trials on). ")
        .with(sign(Rank::Best))
        .plain(" shown best in its study, ")
        .with(sign(Rank::Tied))
        .plain(" equivalent to the best, ")
        .with(sign(Rank::Close))
        .plain(" close to the best, ")
        .with(sign(Rank::Open))
        .plain(
            " undecided against the best. Without a mark it is behind or not ranked: systems with different guarantees are not, and latency \
             only at a rate that all systems sustained. With a rate, latency is response time.",
        );
    Block::note(text)
}
