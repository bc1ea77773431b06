//! `[vary]`: the systems that it makes of a study's, and which of them are compared.

use std::path::Path;

use dbdyno_study::Study;
use dbdyno_study::file::parse;

fn study(text: &str) -> Study {
    parse(text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}\n{text}"))
}

#[test]
fn options_of_the_lab_are_varied_over_all_systems() {
    let of = |vary: &str| {
        let text = format!(
            "name = \"x\"\nworkloads = \"a\"\naa = true\nsystems = [\"lab:redis\", \"lab:mongodb\"]\nvary = {{ {vary} }}\n"
        );
        study(&text)
    };
    let named = |study: &Study| -> Vec<String> {
        let systems = study.systems.iter();
        systems
            .map(|system| format!("{} is {}", system.name, system.target))
            .collect()
    };
    let plain = of("security = [\"none\", \"tls\"]");
    assert_eq!(
        named(&plain),
        [
            "lab:redis is lab:redis?security=none",
            "lab:redis security=tls is lab:redis?security=tls",
            "lab:mongodb is lab:mongodb?security=none",
            "lab:mongodb security=tls is lab:mongodb?security=tls",
            "lab:redis (A/A) is lab:redis?security=none",
        ]
    );
    let factors = |study: &Study, at: usize| study.systems[at].factors.clone();
    assert_eq!(
        factors(&plain, 1),
        [("security".to_owned(), "tls".to_owned())].into()
    );
    assert_eq!(plain.systems[1].base.as_deref(), Some("lab:redis"));
    assert_eq!(plain.systems[3].base.as_deref(), Some("lab:mongodb"));

    // One option at a time, not every combination of levels; and at last the last levels of all.
    let two = of("security = [\"none\", \"tls\", \"hardened\"], nodes = [1, 3], together = true");
    let of_redis: Vec<String> = named(&two)
        .into_iter()
        .filter(|name| name.starts_with("lab:redis"))
        .collect();
    assert_eq!(
        of_redis,
        [
            "lab:redis is lab:redis?nodes=1&security=none",
            "lab:redis nodes=3 is lab:redis?nodes=3&security=none",
            "lab:redis security=tls is lab:redis?nodes=1&security=tls",
            "lab:redis security=hardened is lab:redis?nodes=1&security=hardened",
            "lab:redis nodes=3 security=hardened is lab:redis?nodes=3&security=hardened",
            "lab:redis (A/A) is lab:redis?nodes=1&security=none",
        ]
    );

    // A level is compared with its baseline alone.
    assert_eq!(dbdyno_study::power::comparisons(&plain), 2);
    assert_eq!(dbdyno_study::power::comparisons(&two), 8);
}

#[test]
fn resources_are_options_that_every_recipe_varies() {
    let text = "name = \"x\"\nworkloads = \"a\"\nsystems = [\"lab:cassandra\"]\nvary = { cpus = [1, \"0-0\"], memory = [\"1G\", \"2G\"] }\n";
    let study = study(text);
    let named: Vec<String> = study
        .systems
        .iter()
        .map(|system| system.target.to_string())
        .collect();
    assert_eq!(
        named,
        [
            "lab:cassandra?cpus=1&memory=1G",
            "lab:cassandra?cpus=0-0&memory=1G",
            "lab:cassandra?cpus=1&memory=2G",
        ]
    );
    // A heap of 512M and twice one of 1024M, each with what a node takes beyond it: the estimate follows `memory`.
    assert_eq!(study.memory_of_servers() >> 20, 2 * (512 + 470) + (1024 + 470));
}

#[test]
fn a_level_that_the_machine_does_not_have_is_refused_at_its_place() {
    let text = "name = \"x\"\nworkloads = \"a\"\nsystems = [\"lab:redis\"]\nvary = { cpus = [1, 1000] }\n";
    let mistake = parse(text, Path::new(".")).unwrap_err();
    assert_eq!(&text[mistake.span.clone()], "1000");
    assert!(
        mistake
            .message
            .starts_with("cpus=1000 of redis is not possible: servers can have"),
        "{}",
        mistake.message
    );
    assert!(mistake.help.contains("at most"), "{}", mistake.help);
    let text = text.replace("cpus = [1, 1000]", "memory = [\"1G\", \"20M\"]");
    let mistake = parse(&text, Path::new(".")).unwrap_err();
    assert_eq!(&text[mistake.span.clone()], "\"20M\"");
}

#[test]
fn shard_keys_are_levels_of_a_factor() {
    let study = study(
        "name = \"x\"\nworkloads = \"a\"\nsystems = [\"lab:mongodb?partition=client&shards=4\"]\n\
         vary = { shard_key = [\"hashed\", \"ranged\", \"one-shard\"] }\n",
    );
    let levels: Vec<&str> = study
        .systems
        .iter()
        .map(|system| system.factors["shard_key"].as_str())
        .collect();
    assert_eq!(levels, ["hashed", "ranged", "one-shard"]);
    let system = &study.systems[2];
    assert_eq!(
        system.target.to_string(),
        "lab:mongodb?partition=client&shard_key=one-shard&shards=4"
    );
    assert_eq!(
        system.base.as_deref(),
        Some("lab:mongodb?partition=client&shards=4")
    );
}
