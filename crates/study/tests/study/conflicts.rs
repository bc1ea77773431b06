//! Several mistakes of one study file: keys that do not fit together, and all that is wrong in one table.

use dbdyno_study::StudyFileError;
use dbdyno_study::file;

/// The mistakes: what stands at each place, and the message.
fn found(text: &str) -> Vec<String> {
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

fn assert_begin(found: &[String], expected: &[&str]) {
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found:?} is not {expected:?}");
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
                "\"redb\": `redb` is not a system of the lab",
                "\"lab:redis?security=tls\": `security` of ",
                "\"a\": two workloads are named `a`",
                "\"1m\": `warmup_limit` has no effect",
                "security: `security` has one level",
                "\"1\": `1` is listed twice",
            ][..],
        ),
        (
            "name = \"x\"\nsystems = [\"redb\"]\nworkloads = [\"a\"]\nslice = \"1s\"\n",
            &["\"1s\": `slice` has no effect here"][..],
        ),
    ] {
        assert_begin(&found(text), expected);
    }
}

#[test]
fn all_that_is_wrong_in_a_table_is_found_at_once() {
    for (text, expected) in [
        (
            "name = \"x\"\nworkloads = [\"a\"]\n[[system]]\nname = \"redis://me:hunter2@h\"\n\
             address = \"redb?durability=none\"\ndurability = \"synced\"\nconsistency = \"one\"\n\
             options = { cash = \"1M\" }\nfactors = { clients = \"4\", encryption = \"\" }\n",
            &[
                "\"redis://me:hunter2@h\": the name of this [[system]] contains a password",
                "\"synced\": durability is set twice",
                "\"one\": redb cannot be asked for consistency `one`",
                "cash: redb has no option `cash`",
                "clients: `clients` is a key of the study",
                "\"\": the factor `encryption` has no level",
            ][..],
        ),
        (
            "name = \"x\"\nsystems = [\"redb\"]\nproperties = { fieldlength = \"long\" }\n[[workload]]\n\
             base = \"a\"\nrates = [\"1k\", \"1k\"]\nproperties = { readporportion = 1, fieldcount = 0, \
             target = 9, requestdistribution = \"zpf\", \"zipf.theta\" = 2 }\n",
            &[
                "fieldlength = \"long\": fieldlength: `long` is not a number",
                "\"1k\": `rates` names 1000 twice",
                "readporportion = 1: unknown property",
                "fieldcount = 0: fieldcount is 0",
                "target = 9: `target` is not a workload property in a study",
                // Not that zipf.theta needs requestdistribution=zipf, which may be what was meant.
                "requestdistribution = \"zpf\": requestdistribution: unknown value `zpf`",
            ][..],
        ),
    ] {
        assert_begin(&found(text), expected);
    }
}

#[test]
fn one_load_generator_has_the_same_cpus_for_all_systems() {
    let file = |systems: &str| format!("name = \"x\"\nsystems = [{systems}]\nworkloads = [\"a\"]\n");
    // On a machine with one CPU, the address itself is refused.
    let cpus = dbdyno_machine::usable_cpus();
    let expected = match cpus {
        1 => "\"lab:redis?client=apart\": client=apart of redis is not possible",
        _ => "\"memory\": `lab:redis?client=apart` and `memory` differ in `client`",
    };
    assert_begin(
        &found(&file("\"lab:redis?client=apart\", \"memory\"")),
        &[expected],
    );
    if cpus > 1 {
        dbdyno_study::file::parse(
            &file("\"lab:redis?client=apart\", \"lab:postgres?client=apart\""),
            std::path::Path::new("."),
        )
        .unwrap();
    }
}
