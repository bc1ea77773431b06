//! What two folders say of other machines, other numbers of trials and tests that were not compared.

use dbdyno_record::{Environment, TrialRecord};
use dbdyno_report::{Render, Side, Style, compare_folders};

use crate::common::{UNLISTED, folder};
use crate::folders::{compared, trials};

/// All of them decide how fast a system is; a kernel is updated without anybody's doing.
#[test]
fn another_build_disk_or_governor_is_another_machine_and_another_kernel_a_remark() {
    let before = trials("main", |_| ());
    let after = trials("branch", |trial| trial.measure.as_mut().unwrap().duration_ns += 1);
    let mut machine = folder::environment();
    machine.tool.build_profile = "release".to_owned();
    machine.disk.filesystem = Some("ext4".to_owned());
    machine.disk.rotational = Some(false);
    machine.processor.governor = Some("performance".to_owned());
    machine.kernel.version = Some("6.1".to_owned());
    let with = |change: &dyn Fn(&mut Environment)| {
        let mut other = machine.clone();
        change(&mut other);
        let side = |trials, environment| Side {
            trials,
            environment: Some(environment),
            levels: &UNLISTED,
        };
        let comparison = compare_folders(side(&before, &machine), side(&after, &other), 0.05, false);
        (comparison.refused(), comparison.text(Style::plain(200)))
    };
    let debug = |other: &mut Environment| other.tool.build_profile = "debug".to_owned();
    let tmpfs = |other: &mut Environment| other.disk.filesystem = Some("tmpfs".to_owned());
    let rotating = |other: &mut Environment| other.disk.rotational = Some(true);
    let saving = |other: &mut Environment| other.processor.governor = Some("powersave".to_owned());
    for (change, expected) in [
        (
            &debug as &dyn Fn(&mut Environment),
            "build of dbdyno: release and debug",
        ),
        (&tmpfs, "file system: ext4 and tmpfs"),
        (&rotating, "disk: solid state and rotating"),
        (&saving, "CPU governor: performance and powersave"),
    ] {
        let (refused, text) = with(change);
        let expected = format!("Not compared, all tests: {expected}.");
        assert!(refused == 4 && text.contains(&expected), "{text}");
    }
    let (refused, text) = with(&|other| other.kernel.version = Some("6.2".to_owned()));
    assert!(
        refused == 0 && text.contains("\nkernel: 6.1 and 6.2.\n"),
        "{text}"
    );
    // Older results do not state it.
    let unknown = |other: &mut Environment| {
        (other.disk.filesystem, other.disk.rotational) = (None, None);
        (other.processor.governor, other.kernel.version) = (None, None);
    };
    let (refused, text) = with(&unknown);
    assert!(refused == 0 && !text.contains("kernel"), "{text}");
}

#[test]
fn the_headline_says_what_was_not_compared_and_trials_are_counted() {
    let before = trials("main", |_| ());
    let few = trials("branch", |trial| trial.measure.as_mut().unwrap().duration_ns += 1);
    let few: Vec<TrialRecord> = few
        .into_iter()
        .filter(|trial| trial.block < 7 && trial.system.name == "fjall")
        .collect();
    let text = compared(&before, &few, true).text(Style::plain(200));
    let answer = text.lines().next().unwrap();
    assert!(answer.ends_with(" 2 of 4 tests were not compared."), "{text}");
    assert!(!answer.starts_with("Nothing changed:"), "{text}");
    assert!(text.contains("Trials of a test: 8 before, 7 after."), "{text}");
}
