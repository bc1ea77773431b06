//! From property files to specifications: what is accepted, what is refused and how that is said.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use dbdyno_workload::client_properties::MeasurementInterval;
use dbdyno_workload::specification::{FieldLength, RequestDistribution};
use dbdyno_workload::{
    Arrivals, OperationKind, Properties, Resolved, Row, Specification, Workload, catalogue,
};
use proptest::prelude::*;
use support::{drain, properties};

fn resolve(text: &str) -> Result<Resolved, String> {
    let mut properties = Properties::new();
    properties
        .parse_file(text, "my.properties")
        .map_err(|error| error.to_string())?;
    Specification::from_properties(&properties).map_err(|error| error.to_string())
}

fn refusal(text: &str) -> String {
    resolve(text).unwrap_err()
}

#[test]
fn refusals_say_where_what_and_what_to_do() {
    for (text, expected) in [
        (
            "recordcount=10\nreadporportion=1.0",
            "my.properties:2: unknown property `readporportion`; did you mean `readproportion`?",
        ),
        (
            "recordcount=10\nReadProportion=1.0",
            "my.properties:2: unknown property `ReadProportion`; did you mean `readproportion`?",
        ),
        (
            "recordcount=10\nxyzzy=1",
            "my.properties:2: unknown property `xyzzy`; docs/workloads.md lists the properties",
        ),
        (
            "recordcount=ten",
            "my.properties:1: recordcount: `ten` is not a number; write one like 1000, 5k, 1M, 2.5M or 1e9",
        ),
        (
            "",
            "workload: recordcount is missing; set the number of records in the table: --records 1M or -p recordcount=1M",
        ),
        (
            "recordcount=0",
            "my.properties:1: recordcount is 0; set the number of records in the table: --records 1M or -p recordcount=1M",
        ),
        (
            "recordcount=10\nrequestdistribution=zipfain",
            "my.properties:2: requestdistribution: unknown value `zipfain`; did you mean `zipfian`?",
        ),
        (
            "recordcount=10\nrequestdistribution=42",
            "my.properties:2: requestdistribution: unknown value `42`; it must be one of uniform, zipfian, zipf, latest, \
             hotspot, sequential, exponential",
        ),
        (
            "recordcount=10\nzipf.theta=1.2\nrequestdistribution=zipfian",
            "my.properties:2: zipf.theta is set but requestdistribution is not zipf; YCSB's zipfian has a fixed theta; set \
             requestdistribution=zipf for a true Zipf distribution",
        ),
        (
            "recordcount=10\nwriteallfields=yes",
            "my.properties:2: writeallfields: `yes` is neither true nor false",
        ),
        (
            "recordcount=10\nfieldcount=0",
            "my.properties:2: fieldcount is 0; it must be 1 to 10000",
        ),
        (
            "recordcount=10\nminscanlength=7\nmaxscanlength=5",
            "my.properties:2: minscanlength 7 is above maxscanlength 5; swap them",
        ),
        (
            "recordcount=10\nreadproportion=0\nupdateproportion=0",
            "my.properties:2: all proportions are 0; set at least one proportion above 0",
        ),
        (
            "recordcount=10\nreadproportion=-0.5",
            "my.properties:2: readproportion: `-0.5` is not a number; write one like 1000, 5k, 1M, 2.5M or 1e9",
        ),
        (
            "recordcount=10\ndataintegrity=true\nfieldlengthdistribution=uniform",
            "my.properties:2: dataintegrity needs fields of constant length; set fieldlengthdistribution=constant",
        ),
        (
            "recordcount=10\ninsertstart=5\ninsertcount=6",
            "my.properties:3: insertstart 5 + insertcount 6 is beyond recordcount 10; raise recordcount, or omit it",
        ),
        (
            "recordcount=10\nworkload=site.ycsb.workloads.TimeSeriesWorkload",
            "my.properties:2: workload class `site.ycsb.workloads.TimeSeriesWorkload` is not supported; only \
             site.ycsb.workloads.CoreWorkload is",
        ),
        (
            "recordcount=10\nmaxexecutiontime=soon",
            "my.properties:2: maxexecutiontime: `soon` is not a time; write one like 90s, 500ms, 10m or 1h30m (units: ns, us, \
             ms, s, m, h, d)",
        ),
        (
            "recordcount=10\nhdrhistogram.percentiles=50,200",
            "my.properties:2: hdrhistogram.percentiles: `200` is not a percentile; write numbers above 0 and up to 100, e.g. \
             50,95,99,99.9",
        ),
        (
            "recordcount=10\nfieldlengthdistribution=histogram",
            "workload: the histogram file `hist.txt` was not read; set fieldlengthhistogram to an existing file",
        ),
        (
            "recordcount=10\nfieldcount=10000\nfieldlength=100000",
            "my.properties:3: a record can have 1000000000 bytes; fieldcount times the longest field may be at most 256 MB",
        ),
    ] {
        assert_eq!(refusal(text), expected);
    }
    let overridden = Specification::from_properties(&properties(["recordcount=1", "tabel=x"])).unwrap_err();
    assert_eq!(
        overridden.to_string(),
        "-p: unknown property `tabel`; did you mean `table`?"
    );
}

#[test]
fn all_wrong_values_are_refused_at_once() {
    let wrong = "recordcount=ten\nfieldcont=3\nfieldlength=-1\nminscanlength=5\nmaxscanlength=0\nreadallfields=yes\n\
                 operationcount=many\nhdrhistogram.percentiles=50,0,200\nreadproportion=x\nupdateproportion=0\n";
    let refused = refusal(wrong);
    let places: Vec<&str> = refused
        .lines()
        .map(|line| line.split(':').nth(1).unwrap())
        .collect();
    assert_eq!(places, ["2", "1", "7", "3", "6", "9", "5", "8", "8"], "{refused}");
}

#[test]
fn contradictions_are_refused_at_once_where_each_value_is_right() {
    let contradictory = "recordcount=5\ninsertstart=9\nminscanlength=9\nmaxscanlength=5\nzipf.theta=1\n";
    let refused = refusal(contradictory);
    assert_eq!(refused.lines().count(), 3, "{refused}");
    // The contradiction may be with a default.
    assert_eq!(
        refusal(&format!("{contradictory}requestdistribution=zpf\n")),
        "my.properties:6: requestdistribution: unknown value `zpf`; did you mean `zipf`?"
    );
}

#[test]
fn broken_histograms_are_refused_with_their_line() {
    for (text, problem) in [
        ("", "h is empty"),
        ("BlockSize\t0\n", "h:1: a BlockSize of 0 is not possible"),
        ("Size\t1\n", "h:1: `Size` is not `BlockSize`"),
        ("BlockSize\t10\n1\t5\n", "h:2: bucket 1 comes where 0 should"),
        ("BlockSize\t10\n0\tx\n", "h:2: `x` is not a whole number"),
        ("BlockSize\t10\n0 5\n", "h:2: `0 5` has no tab"),
        ("BlockSize\t10\n0\t0\n", "h counts nothing"),
    ] {
        let mut properties = properties([
            "recordcount=1",
            "fieldlengthdistribution=histogram",
            "fieldlengthhistogram=h",
        ]);
        assert_eq!(properties.wanted_file(), Some("h"));
        properties.attach("h", text);
        assert_eq!(properties.wanted_file(), None);
        let error = Specification::from_properties(&properties)
            .unwrap_err()
            .to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn a_histogram_file_with_another_content_is_another_workload() {
    let resolved = |text: &str, further: &[&str]| {
        let settings = [
            "recordcount=1",
            "fieldlengthdistribution=histogram",
            "fieldlengthhistogram=h",
        ];
        let mut properties = properties(settings.into_iter().chain(further.iter().copied()));
        properties.attach("h", text);
        Specification::from_properties(&properties).map(|resolved| resolved.specification.properties())
    };
    let digest = |text: &str| resolved(text, &[]).unwrap()["fieldlengthhistogram.digest"].clone();
    let text = "BlockSize\t10\n0\t5\n1\t2\n";
    let own = digest(text);
    let known = format!("fieldlengthhistogram.digest={own}");
    assert_eq!(
        own,
        digest("BlockSize\t10\n\n0\t 5\n1\t2"),
        "the same in other words"
    );
    for other in [
        "BlockSize\t20\n0\t5\n1\t2\n",
        "BlockSize\t10\n0\t2\n1\t5\n",
        "BlockSize\t10\n0\t5\n1\t2\n2\t0\n",
    ] {
        assert_ne!(digest(other), own, "{other}");
        let error = resolved(other, &[known.as_str()]).unwrap_err();
        assert!(error.to_string().contains("`h` has changed"), "{error}");
    }
    assert!(resolved(text, &[known.as_str()]).is_ok());
}

#[test]
fn properties_without_meaning_are_named_once() {
    let resolved =
        resolve("recordcount=10\nhtrace.x=1\nmeasurementtype=raw\nexportfile=x\nbasicdb.verbose=false")
            .unwrap();
    let [notice] = &resolved.notices[..] else {
        panic!("{:?}", resolved.notices)
    };
    assert_eq!(
        notice,
        "YCSB properties that have no effect here: basicdb.verbose (BasicDB's settings; the `null` system does nothing at all), \
         exportfile (use --format and --output), htrace.x (there is no HTrace), measurementtype (latencies are always kept \
         in HdrHistograms, written to the result folder)"
    );
    assert!(resolve("recordcount=10").unwrap().notices.is_empty());
}

#[test]
fn the_defaults_are_ycsbs() {
    let resolved = resolve("recordcount=10").unwrap();
    let mut expected = Specification::core(10);
    expected.name = "my".to_owned();
    assert_eq!(resolved.specification, expected);
    assert_eq!(resolved.client, dbdyno_workload::ClientProperties::default());
}

#[test]
fn client_properties_are_typed() {
    let client = resolve(
        "recordcount=3G\noperationcount=5M\nthreadcount=16\ntarget=20k\nmaxexecutiontime=90\nstatus=TRUE\nstatus.interval=1\n\
         label=night\nmeasurement.interval=both\nhdrhistogram.percentiles=50, 99.9\narrivals=poisson\ndotransactions=false\n\
         warmuptime=500ms",
    )
    .unwrap()
    .client;
    assert_eq!(client.operations, Some(5_000_000));
    assert_eq!(client.threads, Some(16));
    assert_eq!(client.target, Some(20_000.0));
    assert_eq!(client.max_execution_time, Some(Duration::from_secs(90)));
    assert_eq!(client.status, Some(true));
    assert_eq!(client.status_interval, Some(Duration::from_secs(1)));
    assert_eq!(client.label.as_deref(), Some("night"));
    assert_eq!(client.measurement_interval, Some(MeasurementInterval::Both));
    assert_eq!(client.percentiles, Some(vec![50.0, 99.9]));
    assert_eq!(client.arrivals, Some(Arrivals::Poisson));
    assert_eq!(client.do_transactions, Some(false));
    assert_eq!(client.warmup, Some(Duration::from_millis(500)));
    let unlimited = resolve("recordcount=1\ntarget=0\noperationcount=0\nmaxexecutiontime=0")
        .unwrap()
        .client;
    assert_eq!(unlimited, dbdyno_workload::ClientProperties::default());
}

#[test]
fn records_follow_from_counts() {
    let records = |text: &str| resolve(text).unwrap().specification.records;
    assert_eq!(records("recordcount=3000000000"), 3_000_000_000);
    assert_eq!(records("recordcount=100\ninsertstart=40"), 60);
    assert_eq!(records("insertcount=5\ninsertstart=40"), 5);
    let part = resolve("recordcount=100\ninsertstart=40\ninsertcount=20").unwrap();
    assert_eq!(part.specification.records, 20);
    assert_eq!(part.notices.len(), 1);
}

#[test]
fn built_in_workloads_mean_what_they_say() {
    use OperationKind::{Insert, Read, ReadModifyWrite, Scan, Update};
    let expected: [(&str, &[(OperationKind, f64)]); 9] = [
        ("a", &[(Read, 0.5), (Update, 0.5)]),
        ("b", &[(Read, 0.95), (Update, 0.05)]),
        ("c", &[(Read, 1.0)]),
        ("d", &[(Read, 0.95), (Insert, 0.05)]),
        ("e", &[(Scan, 0.95), (Insert, 0.05)]),
        ("f", &[(Read, 0.5), (ReadModifyWrite, 0.5)]),
        ("abramova-g", &[(Read, 0.05), (Update, 0.95)]),
        ("abramova-h", &[(Update, 1.0)]),
        ("altoros-g", &[(Read, 0.1), (Insert, 0.9)]),
    ];
    assert_eq!(catalogue::ENTRIES.len(), expected.len());
    for (name, mix) in expected {
        let entry = catalogue::find(name).unwrap();
        assert_eq!(catalogue::find(&entry.name.to_uppercase()), Ok(entry));
        let resolved = Specification::from_properties(&entry.properties()).unwrap();
        let specification = resolved.specification;
        assert!(resolved.notices.is_empty());
        assert_eq!(specification.name, entry.name);
        for kind in OperationKind::ALL {
            let share = mix
                .iter()
                .find(|(known, _)| *known == kind)
                .map_or(0.0, |(_, share)| *share);
            assert!(
                (specification.mix.proportion(kind) - share).abs() < 1e-12,
                "{name} {kind:?}"
            );
        }
        let distribution = if name == "d" {
            RequestDistribution::Latest
        } else {
            RequestDistribution::Zipfian
        };
        assert_eq!(specification.request, distribution);
        assert_eq!(specification.field_length, FieldLength::Constant(100));
        assert_eq!(specification.records, 100_000);
    }
    let scans = Specification::from_properties(&catalogue::find("e").unwrap().properties()).unwrap();
    assert_eq!(scans.specification.scan_length.max, 100);
    assert_eq!(
        catalogue::find("workloadz").unwrap_err().to_string(),
        "no built-in workload is called `workloadz`; did you mean `workloada`? (or give the path of a property file)"
    );
}

/// Keys and values that are sometimes right, sometimes nearly so, sometimes anything.
fn settings() -> impl Strategy<Value = Vec<(String, String)>> {
    let key = prop_oneof![
        8 => prop::sample::select(vec![
            "recordcount", "operationcount", "insertcount", "insertstart", "fieldcount", "fieldnameprefix", "fieldlength",
            "minfieldlength", "fieldlengthdistribution", "readallfields", "readallfieldsbyname", "writeallfields",
            "dataintegrity", "readproportion", "updateproportion", "insertproportion", "scanproportion",
            "readmodifywriteproportion", "deleteproportion", "requestdistribution", "zipf.theta", "hotspotdatafraction",
            "hotspotopnfraction", "exponential.percentile", "exponential.frac", "minscanlength", "maxscanlength",
            "scanlengthdistribution", "insertorder", "zeropadding", "compressibility", "threadcount", "target", "arrivals",
            "maxexecutiontime", "status", "status.interval", "label", "measurement.interval", "hdrhistogram.percentiles",
            "table", "htrace.x", "db",
        ]).prop_map(str::to_owned),
        1 => "[a-z.]{1,12}",
    ];
    let value = prop_oneof![
        4 => (0u64..2_000).prop_map(|value| value.to_string()),
        3 => (0.0f64..1.0).prop_map(|value| value.to_string()),
        1 => any::<i64>().prop_map(|value| value.to_string()),
        1 => any::<f64>().prop_map(|value| value.to_string()),
        6 => prop::sample::select(vec![
            "true", "false", "uniform", "zipfian", "zipf", "latest", "hotspot", "sequential", "exponential", "constant",
            "poisson", "hashed", "ordered", "1M", "1e9", "90s", "0", "1", "",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec((key, value), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_properties_resolve_or_are_refused(settings in settings(), seed in any::<u64>()) {
        let mut properties = properties(["recordcount=50", "fieldcount=3"]);
        for (key, value) in &settings {
            properties.insert(key, value);
        }
        if let Ok(resolved) = Specification::from_properties(&properties) {
            let specification = resolved.specification;
            // The properties in the record say the same again.
            let written = specification.properties();
            let again = support::properties(
                written.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().iter().map(String::as_str),
            );
            let mut read_back = Specification::from_properties(&again).unwrap().specification;
            read_back.name.clone_from(&specification.name);
            prop_assert_eq!(&read_back, &specification);

            let workload = Arc::new(Workload::new(specification, seed).unwrap());
            let specification = workload.specification();
            let run = workload.run(specification.records, Some(100), None);
            let end = specification.insert_start + specification.records + 100;
            let mut row = Row::new();
            drain(&workload.run(specification.records, Some(100), None), 64, |operation| {
                assert!((specification.insert_start..end).contains(&operation.key.number()));
                if specification.longest_record_bytes() < 1 << 16 {
                    run.values(operation, &mut row);
                    assert!(row.value_bytes() as u64 <= specification.longest_record_bytes());
                }
                assert_eq!(operation.scan_limit > 0, operation.kind == OperationKind::Scan);
                assert!(operation.scan_limit <= specification.scan_length.max);
            });
        }
    }

    #[test]
    fn any_text_parses_or_is_refused(text in any::<String>()) {
        let _ = Properties::new().parse_file(&text, "file");
    }
}
