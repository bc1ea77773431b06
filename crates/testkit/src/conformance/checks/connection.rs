//! Connecting: the constant facts, options, durability, and what outlives the driver.

use std::collections::BTreeSet;

use crate::conformance::client::row;
use crate::conformance::harness::{ensure, random_name, table};
use crate::conformance::{BlockOn, Client, ConnectionCheck, Failure, Outcome};
use dbdyno_driver::{DbError, Driver, Durability, ErrorClass, Fields, Key, Session, Target};

use super::list;

pub fn checks<D: Driver, R: BlockOn>(target: &Target) -> Vec<ConnectionCheck<R>> {
    let capabilities = D::INFO.capabilities;
    let refuses_some = capabilities.durabilities.len() < Durability::ALL.len();
    let outlives = capabilities.persistent && !target.place.is_empty();
    let mut checks = list!(ConnectionCheck, true;
        information_is_complete,
        an_unknown_option_is_refused_with_a_hint,
        the_durability_asked_for_is_in_force,
    );
    checks.extend(list!(ConnectionCheck, refuses_some; a_durability_not_offered_is_refused));
    checks.extend(list!(ConnectionCheck, outlives;
        records_outlive_the_driver,
        manifests_outlive_the_driver,
    ));
    checks
}

fn information_is_complete<D: Driver, R: BlockOn>(_: &Target, _: &R) -> Outcome {
    let info = D::INFO;
    ensure!(!info.name.is_empty(), "it has no name");
    ensure!(!info.summary.is_empty(), "it has no summary");
    ensure!(!info.schemes.is_empty(), "it answers to no scheme");
    let example = Target::parse(info.example);
    ensure!(
        example
            .as_ref()
            .is_ok_and(|example| info.schemes.contains(&example.scheme.as_str())),
        "its example `{}` is not an address of its own",
        info.example
    );
    let options: BTreeSet<&str> = info.options.iter().map(|(name, _)| *name).collect();
    ensure!(options.len() == info.options.len(), "it lists an option twice");
    ensure!(
        !options.contains("durability"),
        "it lists `durability`, which every driver understands"
    );
    ensure!(
        info.options.iter().all(|(_, help)| !help.is_empty()),
        "an option has no line of help"
    );
    let durabilities = info.capabilities.durabilities;
    ensure!(!durabilities.is_empty(), "it offers no durability");
    ensure!(
        durabilities.is_sorted_by(|left, right| left < right),
        "its durabilities are not in order, weakest first: {durabilities:?}"
    );
    let consistencies = D::INFO.capabilities.consistencies;
    ensure!(
        consistencies.is_sorted_by(|left, right| left < right),
        "its consistency levels are not in order, fewest replicas first: {consistencies:?}"
    );
    Ok(())
}

fn an_unknown_option_is_refused_with_a_hint<D: Driver, R: BlockOn>(target: &Target, runtime: &R) -> Outcome {
    let known = D::INFO.options.first().map(|(name, _)| *name);
    let mistyped = known.map_or_else(|| "no_such_option".to_owned(), |name| format!("{name}x"));
    let mut wrong = target.clone();
    wrong.options.insert(mistyped.clone(), "1".to_owned());
    let Some(error) = refusal::<D, R>(&wrong, runtime) else {
        return Err(Failure(format!("option `{mistyped}` was accepted")));
    };
    ensure!(
        error.class == ErrorClass::Rejected,
        "option `{mistyped}` was refused as {} and not as rejected",
        error.class.name()
    );
    let names_both = error.message.contains(&mistyped)
        && known.is_none_or(|known| error.message.contains(&format!("did you mean `{known}`")));
    ensure!(
        names_both,
        "the refusal of `{mistyped}` does not name it and what was meant: {error}"
    );
    Ok(())
}

fn a_durability_not_offered_is_refused<D: Driver, R: BlockOn>(target: &Target, runtime: &R) -> Outcome {
    let offered = D::INFO.capabilities.durabilities;
    for level in Durability::ALL
        .into_iter()
        .filter(|level| !offered.contains(level))
    {
        let wrong = with_durability(target, level);
        let class = refusal::<D, R>(&wrong, runtime).map(|error| error.class);
        ensure!(
            class == Some(ErrorClass::Rejected),
            "durability `{level}`, which it does not offer, was answered with {class:?}"
        );
    }
    Ok(())
}

fn the_durability_asked_for_is_in_force<D: Driver, R: BlockOn>(target: &Target, runtime: &R) -> Outcome {
    for level in levels_to_be_had::<D, R>(target, runtime)? {
        let driver = runtime.block_on(D::connect(&with_durability(target, level)))?;
        let facts = runtime.block_on(driver.facts())?;
        ensure!(
            facts.durability == level,
            "`{level}` was asked for and the system says `{}`",
            facts.durability
        );
        ensure!(
            !facts.durability_means.is_empty(),
            "nothing says what `{level}` means here"
        );
    }
    Ok(())
}

fn records_outlive_the_driver<D: Driver, R: BlockOn>(target: &Target, runtime: &R) -> Outcome {
    for level in levels_to_be_had::<D, R>(target, runtime)? {
        let target = with_durability(target, level);
        let table = table(random_name(), 2);
        let driver = runtime.block_on(D::connect(&target))?;
        runtime.block_on(driver.create_table(&table))?;
        let mut session = runtime.block_on(driver.session(&table))?;
        for number in 0..100 {
            let key = Key::new(number, &format!("key{number}"));
            runtime.block_on(session.insert(&key, &row(&[(0, b"old"), (1, b"kept")])))?;
            runtime.block_on(session.update(&key, &row(&[(0, b"new")])))?;
        }
        runtime.block_on(driver.flush())?;
        drop(session);
        drop(driver);

        let driver = runtime.block_on(D::connect(&target))?;
        let session = runtime.block_on(driver.session(&table))?;
        let mut client: Client<'_, D, R> = Client::new(session, runtime);
        for number in 0..100 {
            let record = client.read(&format!("key{number}"), Fields::All)?;
            let expected = vec![(0, b"new".to_vec()), (1, b"kept".to_vec())];
            ensure!(
                record.as_ref() == Some(&expected),
                "at `{level}`, record {number} of 100 is {record:?} after a clean stop"
            );
        }
        runtime.block_on(driver.drop_table(&table))?;
    }
    Ok(())
}

fn manifests_outlive_the_driver<D: Driver, R: BlockOn>(target: &Target, runtime: &R) -> Outcome {
    let table = table(random_name(), 1);
    let driver = runtime.block_on(D::connect(target))?;
    runtime.block_on(driver.create_table(&table))?;
    runtime.block_on(driver.store_manifest(&table, "what was loaded"))?;
    drop(driver);
    let driver = runtime.block_on(D::connect(target))?;
    let manifest = runtime.block_on(driver.load_manifest(&table))?;
    runtime.block_on(driver.drop_table(&table))?;
    ensure!(
        manifest.as_deref() == Some("what was loaded"),
        "after a clean stop the manifest is {manifest:?}"
    );
    Ok(())
}

/// The levels that can be asked for here. An embedded store gives all that it offers. A server may have been set to one
/// of them; then it refuses the others, and says what would change it.
fn levels_to_be_had<D: Driver, R: BlockOn>(target: &Target, runtime: &R) -> Result<Vec<Durability>, Failure> {
    let offered = D::INFO.capabilities.durabilities;
    if !D::INFO.remote {
        return Ok(offered.to_vec());
    }
    let mut levels = Vec::new();
    for level in offered {
        match runtime.block_on(D::connect(&with_durability(target, *level))) {
            Ok(_) => levels.push(*level),
            Err(error) if error.class == ErrorClass::Rejected => {}
            Err(error) => return Err(error.into()),
        }
    }
    ensure!(
        !levels.is_empty(),
        "the server refuses every durability that the driver offers"
    );
    Ok(levels)
}

fn with_durability(target: &Target, level: Durability) -> Target {
    Target {
        durability: Some(level),
        ..target.clone()
    }
}

fn refusal<D: Driver, R: BlockOn>(target: &Target, runtime: &R) -> Option<DbError> {
    runtime.block_on(D::connect(target)).err()
}
