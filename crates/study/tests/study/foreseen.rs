//! What is foreseen of systems is what their records say after a real run.

use std::path::Path;

use dbdyno_engine::Stop;
use dbdyno_record::{Fact, ResultFolder, TrialStatus};
use dbdyno_study::file::known_guarantees::{differing, foreseen};
use dbdyno_study::file::parse;
use dbdyno_study::{CheckedStudy, conductor};
use dbdyno_trial::Consistency;

const STUDY: &str = "name = \"t\"\ntrials = 1\nworkloads = [\"e\"]\nrecords = 20\nclients = 1\noperations = 20\nwarmup = \"1ms\"\n\
                     repeat_disturbed = 0\nsystems = [\"memory\", \"null\", \"sick\", \"fjall\", \"redb\", \"sqlite\", \
                     \"fjall?durability=synced\", \"redb?durability=none\", \"sqlite?durability=synced\"]\n";

#[test]
fn embedded_databases_give_what_was_foreseen() {
    let place = tempfile::tempdir().unwrap();
    let file = CheckedStudy {
        study: parse(STUDY, Path::new(".")).unwrap(),
        text: STUDY.to_owned(),
    };
    let folder: ResultFolder = conductor::open_folder(&file, &place.path().join("r")).unwrap();
    conductor::run(&file, &folder, &mut (), &Stop::new()).unwrap();
    let records = folder.trials().unwrap();
    assert_eq!(records.len(), file.study.systems.len());
    for record in &records {
        assert_eq!(record.status, TrialStatus::Completed, "{}", record.trial);
        let own = |system: &&dbdyno_study::definition::System| system.name == record.system.name;
        let system = file.study.systems.iter().find(own).unwrap();
        let given = foreseen(&system.target);
        let durability = given.durability.map_or(Fact::Absent, Fact::Known);
        assert_eq!(durability, record.system.durability, "{}", system.name);
        let consistency = match record.system.consistency {
            Fact::Absent => Some(Consistency::OF_ONE_COPY),
            Fact::Known(level) => Some(level),
            Fact::NotStated => None,
        };
        assert_eq!(given.consistency, consistency, "{}", system.name);
    }
    let found = differing(&file.study).unwrap();
    let levels: std::collections::BTreeSet<_> = records
        .iter()
        .map(|record| record.system.durability.name())
        .collect();
    assert_eq!(found.durability.len(), levels.len());
    assert!(found.consistency.is_empty() && found.scans.is_none(), "{found:?}");
}
