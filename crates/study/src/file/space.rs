//! Whether the records of a study or a run fit on the disks of this machine, before anything is loaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dbdyno_driver::Target;
use dbdyno_lab::LabHome;
use dbdyno_machine::{Room, room};
use dbdyno_workload::Specification;
use dbdyno_workload::specification::FieldLength;

use super::workloads;
use crate::address;
use crate::file::definition::{Order, Study};
use crate::file::single::Single;

/// Databases that are loaded often take this many times the bytes of their records, with logs and what was overwritten.
const USUAL_FACTOR: u64 = 3;

/// Records on one file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Where they go.
    pub place: PathBuf,
    /// Whose they are.
    pub systems: Vec<String>,
    /// The bytes of the records alone.
    pub bytes: u64,
    /// The free bytes there.
    pub free_bytes: u64,
}

impl Need {
    /// Whether not even the bare records fit.
    #[must_use]
    pub const fn is_too_much(&self) -> bool {
        self.bytes > self.free_bytes
    }
}

/// A system's largest table.
struct Table {
    system: String,
    place: PathBuf,
    bytes: u64,
}

/// The need of a study that its disks do not meet, or only just; `None` where there is room.
#[must_use]
pub fn of_study(study: &Study) -> Option<Need> {
    let mut largest: BTreeMap<&str, u64> = BTreeMap::new();
    let cells = study.cells();
    let bytes_of = |workload: &str, records: u64| {
        let choice = study.workloads.iter().find(|choice| choice.name == workload)?;
        let resolved = workloads::resolve(&choice.properties, records).ok()?;
        Some(table_bytes(&resolved.specification, records))
    };
    for cell in &cells {
        let bytes = bytes_of(&cell.workload, cell.records).unwrap_or(0);
        let before = largest.entry(&cell.system.name).or_default();
        *before = bytes.max(*before);
    }
    let tables = study.systems.iter().filter_map(|system| {
        Some(Table {
            system: system.name.clone(),
            place: place(&system.target)?,
            bytes: largest.get(system.name.as_str()).copied()?,
        })
    });
    // Systems that take turns have their tables at the same time; batches of servers do not.
    let is_together = study.order == Order::Interleaved && study.memory_of_batches.is_none();
    short(tables.collect(), is_together, room)
}

/// The need of a single run, as [`of_study`].
#[must_use]
pub fn of_single(single: &Single) -> Option<Need> {
    let table = Table {
        system: single.target.to_string(),
        place: place(&single.target)?,
        bytes: table_bytes(single.workload.specification(), single.spec.records),
    };
    short(vec![table], true, room)
}

/// The least that the values of these records take.
fn table_bytes(specification: &Specification, records: u64) -> u64 {
    let shortest = match &specification.field_length {
        FieldLength::Constant(length) => *length,
        FieldLength::Uniform { min, .. } | FieldLength::Zipfian { min, .. } => *min,
        FieldLength::Histogram(_) => 1,
    };
    let record = u64::from(specification.field_count) * u64::from(shortest);
    records.saturating_mul(record)
}

/// Where a system that begins without data keeps it on this machine; `None` where it keeps none here, or may have it already.
fn place(target: &Target) -> Option<PathBuf> {
    if target.scheme == address::SCHEME {
        return Some(LabHome::of_user().ok()?.instances().to_owned());
    }
    let info = address::driver_info(target)?;
    // The place of a hosted client is a class, and no path.
    let is_path = !info.remote && info.capabilities.persistent && info.name != "ycsb";
    if !is_path {
        None
    } else if target.place.is_empty() {
        Some(std::env::temp_dir())
    } else {
        Some(PathBuf::from(&target.place)).filter(|path| !path.exists())
    }
}

/// The file system that has the least room for what goes there, where that is too little or scarce.
fn short(tables: Vec<Table>, is_together: bool, room: impl Fn(&Path) -> Option<Room>) -> Option<Need> {
    let mut needs: BTreeMap<u64, Need> = BTreeMap::new();
    for table in tables {
        let Some(Room { device, free_bytes }) = room(&table.place) else {
            continue;
        };
        let need = needs.entry(device).or_insert_with(|| Need {
            place: table.place.clone(),
            systems: Vec::new(),
            bytes: 0,
            free_bytes,
        });
        need.systems.push(table.system);
        need.bytes = if is_together {
            need.bytes.saturating_add(table.bytes)
        } else {
            need.bytes.max(table.bytes)
        };
    }
    let scarce = needs
        .into_values()
        .filter(|need| need.bytes.saturating_mul(USUAL_FACTOR) > need.free_bytes);
    scarce.max_by_key(|need| need.bytes.saturating_sub(need.free_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(system: &str, place: &str, bytes: u64) -> Table {
        Table {
            system: system.to_owned(),
            place: place.into(),
            bytes,
        }
    }

    /// A small disk below `/small`, and a large one elsewhere.
    fn rooms(place: &Path) -> Option<Room> {
        let is_small = place.starts_with("/small");
        Some(Room {
            device: u64::from(is_small),
            free_bytes: if is_small { 100 } else { 1_000_000 },
        })
    }

    #[test]
    fn tables_on_one_disk_at_one_time_share_its_room() {
        let tables = || {
            vec![
                table("a", "/small/a", 60),
                table("b", "/small/b", 60),
                table("c", "/c", 60),
            ]
        };
        let need = short(tables(), true, rooms).unwrap();
        assert_eq!(
            (need.bytes, need.systems.as_slice()),
            (120, ["a".to_owned(), "b".to_owned()].as_slice())
        );
        assert!(need.is_too_much());
        let one = short(tables(), false, rooms).unwrap();
        assert_eq!(one.bytes, 60);
        assert!(!one.is_too_much(), "it is tight");
        assert_eq!(short(vec![table("a", "/small/a", 30)], true, rooms), None);
        assert_eq!(
            short(vec![table("a", "/small/a", u64::MAX)], true, |_| None),
            None,
            "nobody knows"
        );
    }

    #[test]
    fn only_stores_of_this_machine_need_its_disks() {
        let place = |address: &str| place(&Target::parse(address).unwrap());
        for address in ["redis://h", "memory", "null", "ycsb:site.ycsb.BasicDB", "redb:/"] {
            assert_eq!(place(address), None, "{address}");
        }
        assert_eq!(place("redb"), Some(std::env::temp_dir()));
        assert_eq!(place("fjall:/no/such"), Some("/no/such".into()));
    }

    #[test]
    fn the_records_of_a_study_are_counted() {
        let text = "name = \"x\"\nsystems = [\"redb\", \"memory\"]\nworkloads = [\"a\"]\nrecords = [\"1k\", \"1e12\"]\n";
        let study = crate::file::check::parse(text, Path::new(".")).unwrap();
        let need = of_study(&study).unwrap();
        assert_eq!(
            (need.bytes, need.systems),
            (1_000_000_000_000_000, vec!["redb".to_owned()])
        );
        let small = text.replace(", \"1e12\"", "");
        assert_eq!(
            of_study(&crate::file::check::parse(&small, Path::new(".")).unwrap()),
            None
        );
    }
}
