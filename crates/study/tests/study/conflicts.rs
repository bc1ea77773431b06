//! Keys of a study file that are right by themselves and do not fit together.

use dbdyno_study::StudyFileError;
use dbdyno_study::file;

/// The keys that do not fit together: what stands at each place, and how the message begins.
fn conflicts(text: &str) -> Vec<String> {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.toml");
    std::fs::write(&path, text).unwrap();
    match file::read(&path) {
        Err(StudyFileError::Mistakes { mistakes, .. }) => mistakes
            .iter()
            .map(|mistake| format!("{}: {}", &text[mistake.span.clone()], mistake.message))
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn keys_that_do_not_fit_together_are_found_at_once() {
    for (text, expected) in [
        (
            "name = \"x\"\nsystems = [\"redb?durability=none\"]\nworkloads = [\"a\"]\nmax_trials = 9\n\
             slo = \"p99<5ms\"\narrivals = \"poisson\"\ncommon_rate = \"70%\"\nwarmup = \"1s\"\nwarmup_limit = \"1m\"\n\
             restart = \"study\"\ndurability = [\"none\", \"synced\"]\n",
            &[
                "9: `max_trials` has no effect without `precision`",
                "\"p99<5ms\": `slo` has no effect",
                "\"poisson\": `arrivals` has no effect",
                "\"70%\": `common_rate` has no effect",
                "\"1m\": `warmup_limit` has no effect",
                "\"study\": `restart` has no effect here",
                "\"none\": system `redb?durability=none` sets a durability",
            ][..],
        ),
        (
            "name = \"x\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\nkind = \"capacity\"\n\
             slo = [\"p99<5ms\", \"p99(scan)<5ms\", \"mean(load)<1s\"]\nrates = [\"1k\"]\nclients = [1, 2]\n",
            &[
                "\"p99(scan)<5ms\": `p99(scan)<5ms` refers to operations",
                "\"mean(load)<1s\": `mean(load)<1s` refers to the load phase",
                "\"1k\": a study of kind \"capacity\" finds its rates itself",
                "1: `clients` is a list",
            ][..],
        ),
        (
            "name = \"x\"\nsystems = [\"redb\", \"fjall\"]\nworkloads = [\"a\"]\naa = true\n\
             slo = \"p99<5ms\"\nstep = \"5%\"\nconsistency = [\"one\", \"all\"]\n",
            &[
                "\"p99<5ms\": `slo` has no effect",
                "\"5%\": `step` has no effect",
                "\"one\": redb cannot be asked for consistency `one`",
                "\"one\": fjall cannot be asked for consistency `one`",
            ][..],
        ),
        (
            "name = \"x\"\nsystems = [\"redb\", \"fjall\"]\nworkloads = [\"a\"]\nbudget = \"30m\"\n\
             trials = 5\nduration = \"5s\"\n",
            &[
                "\"30m\": `budget` chooses the number of blocks",
                "\"30m\": `budget` chooses how long",
            ][..],
        ),
        (
            "name = \"x\"\nsystems = [\"redb\", \"lab:redis?security=tls\"]\nworkloads = [\"a\", \"a\"]\n\
             warmup = \"1s\"\nwarmup_limit = \"1m\"\n\
             vary = { security = [\"none\"], nodes = [\"1\", \"1\"] }\n",
            &[
                "\"redb\": `redb` is no system of the lab",
                "\"lab:redis?security=tls\": `security` of ",
                "\"a\": two workloads are named `a`",
                "\"1m\": `warmup_limit` has no effect",
                "security: `security` has one level",
                "\"1\": `1` is listed twice",
            ][..],
        ),
    ] {
        let found = conflicts(text);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found:?} is not {expected:?}");
        }
    }
}
