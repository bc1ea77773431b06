//! The main numbers of what runs, or of what ran.

use dbdyno_document::{Block, Tile, Tone};
use dbdyno_record::{IntervalRow, TrialStatus};
use dbdyno_vocabulary::number;

use crate::watched::{Current, Watched};

/// Of the last second of the running trial, and how far the study is.
pub(crate) fn of_current(watched: &Watched, current: &Current) -> Block {
    let mut tiles = Vec::new();
    if let Some(last) = current.seconds.last() {
        tiles.push(Tile::new("Throughput", number::rate(last.rate)).detail("last second"));
        let latency = |name: &str, us: Option<f64>| {
            let value = us.map_or_else(|| "–".to_owned(), |us| number::duration_ns(us * 1e3));
            Tile::new(format!("{name} latency"), value).detail("last second")
        };
        tiles.push(latency("p50", last.p50_us));
        tiles.push(latency("p99", last.p99_us));
        let errors = current.seconds.iter().map(|row| row.errors).sum();
        tiles.push(failed(errors).detail(classes(current)));
        let client = busy(last.client_cpu_seconds, last);
        tiles.push(Tile::new("Client CPU", client).detail("of dbdyno"));
        if let Some(seconds) = last.server_cpu_seconds {
            tiles.push(Tile::new("Server CPU", busy(seconds, last)).detail("of the servers"));
        }
    }
    if !watched.is_single() {
        tiles.push(progress(watched));
    }
    Block::Tiles(tiles)
}

/// Of a run that is over, or how far a study came; nothing where nothing was measured.
pub(crate) fn of_ended(watched: &Watched) -> Block {
    if !watched.is_single() {
        return Block::Tiles(vec![progress(watched)]);
    }
    let mut tiles = Vec::new();
    for ended in watched.ended().values() {
        tiles.extend(
            ended
                .throughput
                .map(|rate| Tile::new("Throughput", number::rate(rate))),
        );
        let p99 = ended
            .p99
            .map(|(ns, is_bound)| number::latency(Some(ns), is_bound));
        tiles.extend(p99.map(|p99| Tile::new("p99 latency", p99)));
        tiles.extend(ended.throughput.map(|_| failed(ended.errors)));
    }
    Block::Tiles(tiles)
}

fn failed(errors: u64) -> Tile {
    let tone = if errors > 0 { Tone::Bad } else { Tone::Plain };
    Tile::new("Errors", number::count(errors)).toned(tone)
}

/// Of which classes the errors are.
fn classes(current: &Current) -> String {
    let classes = current.failures.by_class();
    let classes: Vec<String> = classes
        .iter()
        .map(|(class, count)| format!("{} {class}", number::count(*count)))
        .collect();
    if classes.is_empty() {
        "in this trial".to_owned()
    } else {
        classes.join(", ")
    }
}

fn busy(cpu_seconds: f64, row: &IntervalRow) -> String {
    if row.duration_s > 0.0 {
        format!("{:.2} CPUs", cpu_seconds / row.duration_s)
    } else {
        "–".to_owned()
    }
}

fn progress(watched: &Watched) -> Tile {
    let (done, planned) = (watched.done(), watched.planned().len());
    let failed = watched
        .ended()
        .values()
        .filter(|ended| matches!(ended.status, TrialStatus::Failed { .. }))
        .count();
    let tile = Tile::new("Trials done", format!("{done} of {planned}"));
    match failed {
        0 => tile,
        failed => tile.detail(format!("{failed} failed")).toned(Tone::Bad),
    }
}
