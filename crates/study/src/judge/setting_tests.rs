use dbdyno_record::{ServerCost, ServerResource, ServerResources};

use super::*;
use crate::test_record::completed;

const GB: u64 = 1_000_000_000;

fn codes(setting: Setting<'_>) -> Vec<String> {
    let found = findings(&completed("x", 1), &setting);
    found.iter().map(|finding| finding.code().to_owned()).collect()
}

#[test]
fn each_setting_is_reported_alone() {
    assert!(codes(Setting::default()).is_empty(), "nothing is known");
    let slow = Setting {
        clock_source: Some("hpet"),
        ..Setting::default()
    };
    assert_eq!(codes(slow), ["slow-clock"]);
    assert!(
        codes(Setting {
            clock_source: Some("tsc"),
            ..slow
        })
        .is_empty()
    );
    // A million records of a thousand bytes.
    let memory = |memory_bytes| Setting {
        memory_bytes: Some(memory_bytes),
        ..Setting::default()
    };
    assert_eq!(codes(memory(4 * GB)), ["fits-in-memory"]);
    assert!(codes(memory(GB)).is_empty());
    let shared = Setting {
        servers_on_one_disk: 3,
        ..Setting::default()
    };
    assert_eq!(codes(shared), ["shared-disk"]);
    assert!(
        findings(&completed("x", 1), &shared)[0]
            .message()
            .contains("all 3 servers")
    );
}

#[test]
fn memory_that_is_nearly_full_is_reported() {
    let mut trial = completed("x", 1);
    let setting = Setting {
        memory_bytes: Some(GB),
        ..Setting::default()
    };
    let reported = |trial: &TrialRecord| {
        let found = findings(trial, &setting);
        found.iter().any(|finding| finding.code() == "memory-filled")
    };
    assert!(!reported(&trial), "where the servers are is not known");
    let measure = trial.measure.as_mut().unwrap();
    measure.client.peak_memory_bytes = 50_000_000;
    measure.server = Some(ServerCost {
        resident_bytes: 700_000_000,
        ..ServerCost::default()
    });
    assert!(!reported(&trial), "three quarters");
    trial.measure.as_mut().unwrap().client.peak_memory_bytes = 150_000_000;
    assert!(reported(&trial));
}

#[test]
fn tests_and_sizes_that_vary_are_left_alone() {
    let setting = Setting {
        memory_bytes: Some(64 * GB),
        clock_source: Some("hpet"),
        servers_on_one_disk: 1,
    };
    let mut short = completed("x", 1);
    short.measure.as_mut().unwrap().duration_ns = 890_000_000;
    assert!(findings(&short, &setting).is_empty());
    let mut varying = completed("x", 1);
    let properties = &mut varying.workload.properties;
    properties.insert("fieldlengthdistribution".to_owned(), "zipfian".to_owned());
    let found = findings(
        &varying,
        &Setting {
            memory_bytes: Some(64 * GB),
            ..Setting::default()
        },
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_disk_is_shared_where_the_device_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let environment = dbdyno_machine::capture(folder.path());
    let setting = |data| Setting::of(&environment, 3, data, folder.path());
    assert_eq!(setting(Some(folder.path())).servers_on_one_disk, 3);
    assert_eq!(setting(Some(Path::new("/proc"))).servers_on_one_disk, 0);
    assert_eq!(setting(None).servers_on_one_disk, 0);
}

#[test]
fn nodes_on_one_disk_do_not_show_scaling() {
    let on = |devices: &[&str]| {
        let mut trial = completed("x", 1);
        let server = |device: &&str| ServerResource {
            name: "node".to_owned(),
            data_device: Some((*device).to_owned()),
            ..ServerResource::default()
        };
        trial.system.resources = Some(ServerResources {
            servers: devices.iter().map(server).collect(),
            ..ServerResources::default()
        });
        trial
    };
    let planted = on(&["vda", "vda", "vda"]);
    let shared = nodes_share_disk(&planted).unwrap();
    assert_eq!(shared.code(), "nodes-share-disk");
    let message = shared.message();
    assert!(
        message.contains(
            "scaling over nodes is not shown, because all nodes (3 server processes) share the disk vda"
        ),
        "{message}"
    );
    let found = |trial: &TrialRecord| nodes_share_disk(trial).is_some();
    assert!(!found(&on(&["vda", "vdb", "vdc"])), "each has its own");
    assert!(!found(&on(&["vda"])), "one node");
    let mut short = planted;
    short.measure.as_mut().unwrap().duration_ns = 890_000_000;
    assert!(!found(&short), "a test");
}
