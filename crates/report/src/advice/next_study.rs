//! The study file of an experiment, and how long it takes.

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_analysis::cells::slug;
use dbdyno_analysis::is_same_workload;
use dbdyno_files::values::{
    ArrivalSpacing, Clients, Count, Operations, PhaseTime, Rate, Seed, Text, Trials, WarmUp,
};
use dbdyno_files::{List, Properties, StudyFile, SystemTable, Tables, WorkloadTable};
use dbdyno_record::TrialRecord;
use dbdyno_trial::{Origin, lab_request};

use super::compose::{Pieces, names};
use super::doubt::{Doubt, of_trial};
use super::gather::{did_work, of_the_run};
use super::metric::Subject;
use super::{Metric, Next, RateChoice, WorkChoice, scope};
use crate::number;

/// Where phases were too short, measure for at least this long, nanoseconds.
const LONG_NS: u64 = 10_000_000_000;
/// ... and for this many times as long as before.
const LONGER: u32 = 4;

/// How every study file begins that is written here.
pub const MADE_BY: &str = "# Made by `dbdyno advise`";

/// What to measure.
#[derive(Clone, Default)]
pub struct NextMeasurements<'a> {
    /// Which candidates.
    pub who: Vec<usize>,
    /// What work.
    pub works: Vec<&'a WorkChoice>,
    /// How many trials of each.
    pub trials: usize,
    /// The rate, instead of that of the work.
    pub rate: Option<RateChoice>,
    /// Whether phases have to be longer than they were.
    pub longer: bool,
}

/// Work as a study asks for it.
struct Asked<'a> {
    choice: &'a WorkChoice,
    /// A trial whose settings are taken over.
    example: &'a TrialRecord,
    properties: &'a BTreeMap<String, String>,
    rate: Rate,
}

impl Asked<'_> {
    /// Records and clients.
    fn size(&self) -> (u64, u32) {
        (
            self.choice.records.unwrap_or(self.example.workload.records),
            self.choice.clients.unwrap_or(self.example.spec.clients),
        )
    }
}

impl<'a> NextMeasurements<'a> {
    /// The experiment, with why it helps and what it promises; `None` when no study of it can be written.
    pub fn next(&self, pieces: &Pieces<'a>, why: &str, promise: Option<(f64, f64)>) -> Option<Next> {
        let mut asked: Vec<Asked<'_>> = self
            .works
            .iter()
            .filter_map(|work| self.asked(pieces, work))
            .collect();
        // A study has one size and one number of clients; work of another size is asked for once this is measured.
        let size = asked.first().map(Asked::size)?;
        asked.retain(|one| one.size() == size);
        let first = &asked[0];
        let is_short = of_trial(first.example, Metric::Throughput(Subject::All)) == Some(Doubt::Short);
        if is_short && !self.longer {
            let longer = Self {
                longer: true,
                ..self.clone()
            };
            return longer.next(pieces, why, promise);
        }
        let addresses: Option<Vec<String>> = self.who.iter().map(|one| address(pieces, *one)).collect();
        let addresses = addresses.filter(|addresses| !addresses.is_empty())?;
        let seconds: f64 = asked.iter().map(|one| self.seconds(pieces, one)).sum();
        let measured: usize = self.works.iter().map(|work| trials_of(pieces, work).len()).sum();
        Some(Next {
            what: format!(
                "{} of {} under {}{}: {why}.",
                if measured == 0 || self.rate.is_some() {
                    number::plural(self.trials, "trial", "trials")
                } else {
                    number::plural(self.trials, "more trial", "more trials")
                },
                names(pieces, &self.who),
                number::list(
                    &asked
                        .iter()
                        .map(|one| self.words(pieces, one))
                        .collect::<Vec<_>>()
                ),
                if self.longer {
                    format!(
                        ", with a measured phase of {}",
                        number::duration_ns(self.duration_ns(first) as f64)
                    )
                } else {
                    String::new()
                }
            ),
            expected_change: promise.map(|(change, _)| change),
            decides: promise.map(|(_, decides)| decides),
            minutes: seconds / 60.0,
            study: self.study(pieces, &asked, &addresses, measured),
        })
    }

    /// What a study has to say of this work; `None` when its properties are not known.
    fn asked(&self, pieces: &Pieces<'a>, choice: &'a WorkChoice) -> Option<Asked<'a>> {
        let own = trials_of(pieces, choice);
        let all = || pieces.candidates.iter().flat_map(|one| &one.trials);
        let of_name = all().rfind(|(_, trial)| is_same_workload(&trial.workload.name, &choice.workload));
        let (_, example) = own.last().or(of_name).or_else(|| all().last())?;
        let properties = if is_same_workload(&example.workload.name, &choice.workload) {
            &example.workload.properties
        } else {
            let mut built_in = pieces.catalogue.workloads.iter();
            built_in
                .find(|(name, _)| is_same_workload(name, &choice.workload))
                .map(|(_, properties)| properties)?
        };
        let measured = (!own.is_empty()).then_some(example.spec.rate()).flatten();
        let rate = match self.rate.or(choice.rate) {
            Some(RateChoice::Common) => Rate::Common,
            Some(RateChoice::PerSecond(rate)) => Rate::PerSecond(rate),
            Some(RateChoice::Unlimited) => Rate::Unlimited,
            None => measured.map_or(Rate::Unlimited, Rate::PerSecond),
        };
        Some(Asked {
            choice,
            example,
            properties,
            rate,
        })
    }

    fn words(&self, pieces: &Pieces<'_>, asked: &Asked<'_>) -> String {
        let mut choice = asked.choice.clone();
        choice.rate = self.rate.or(choice.rate);
        // What was measured at another rate is not this work.
        let trials = if self.rate.is_some() {
            Vec::new()
        } else {
            trials_of(pieces, &choice)
        };
        scope::work(&choice, &trials)
    }

    fn duration_ns(&self, asked: &Asked<'_>) -> u64 {
        let measure = asked.example.measure.as_ref();
        let before = measure.map_or(0, |measure| measure.duration_ns);
        (before * u64::from(LONGER)).max(LONG_NS).div_ceil(1_000_000_000) * 1_000_000_000
    }

    /// How long the trials of this work take by their phases; starting servers comes on top.
    fn seconds(&self, pieces: &Pieces<'_>, asked: &Asked<'_>) -> f64 {
        let all = trials_of(pieces, asked.choice);
        let all = if all.is_empty() {
            vec![(0, asked.example)]
        } else {
            all
        };
        let each = |candidate: &usize| {
            let own = did_work(&pieces.candidates[*candidate], asked.choice);
            let known = median_seconds(if own.is_empty() { &all } else { &own });
            let added = if self.longer {
                self.duration_ns(asked) as f64 / 1e9
            } else {
                0.0
            };
            (known + added) * self.trials as f64
        };
        self.who.iter().map(each).sum()
    }

    /// The study file.
    fn study(
        &self,
        pieces: &Pieces<'_>,
        asked: &[Asked<'_>],
        addresses: &[String],
        measured: usize,
    ) -> String {
        let first = &asked[0];
        let spec = &first.example.spec;
        let (records, clients) = first.size();
        let pace = if first.rate == Rate::Unlimited {
            String::new()
        } else {
            format!("-{}", slug(&first.rate.to_string()))
        };
        let is_paced = asked.iter().any(|one| one.rate != Rate::Unlimited);
        let is_known = spec.origin != Origin::Log { states_rate: false };
        let arrivals = spec.pace.map_or_else(Default::default, |pace| pace.arrivals);
        let (operations, duration) = if self.longer {
            (None, Some(Duration::from_nanos(self.duration_ns(first))))
        } else {
            (spec.limit.operations, spec.limit.duration)
        };
        let systems = self.who.iter().zip(addresses);
        let file = StudyFile {
            name: Text(format!("next-{}{pace}-{measured}", slug(&first.choice.workload))).into(),
            // Other operations than before, so that the new trials say something new.
            seed: Some(Seed(1000 + measured as u64).into()),
            trials: u32::try_from(self.trials)
                .ok()
                .map(|trials| Trials(trials).into()),
            records: List::of([Count(records)]),
            clients: List::of([Clients(clients)]),
            arrivals: (is_paced && is_known).then(|| ArrivalSpacing(arrivals).into()),
            operations: List::of(operations.map(Operations::Count)),
            duration: duration.map(|length| PhaseTime(length).into()),
            warmup: Some(self.warm_up(first).into()),
            system: Tables::of(systems.map(|(who, address)| self.system(pieces, *who, address))),
            workload: Tables::of(workloads(asked)),
            ..StudyFile::default()
        };
        file.to_text(&format!(
            "{MADE_BY}; put its results beside those it was made from.\n"
        ))
    }

    /// A warm-up that ended by itself does so again; the longest of a start says little of the trial that is the example.
    fn warm_up(&self, asked: &Asked<'_>) -> WarmUp {
        let before = asked.example.spec.warmup.longest;
        match asked.example.conditions.warmup_ns {
            Some(_) => WarmUp::Auto,
            None if self.longer => WarmUp::Fixed((before * LONGER).max(Duration::from_nanos(LONG_NS / 5))),
            None => WarmUp::Fixed(before),
        }
    }

    fn system(&self, pieces: &Pieces<'_>, candidate: usize, address: &str) -> SystemTable {
        let one = &pieces.candidates[candidate];
        let same = self
            .who
            .iter()
            .filter(|other| pieces.candidates[**other].system.name == one.system.name);
        let name = if same.count() > 1 {
            pieces.name(candidate)
        } else {
            &one.system.name
        };
        let levels = pieces.levels(candidate);
        let own = one
            .trials
            .last()
            .into_iter()
            .flat_map(|(_, trial)| &trial.spec.system.factors);
        let factors: Vec<(&str, &str)> = own
            .map(|(name, value)| {
                let level = levels.iter().find(|(option, _)| option == name);
                (name.as_str(), level.map_or(value.as_str(), |(_, wanted)| wanted))
            })
            .collect();
        SystemTable {
            name: Some(Text::from(name).into()),
            address: Text::from(address).into(),
            factors: (!factors.is_empty()).then(|| Properties::of(factors).into()),
            ..SystemTable::default()
        }
    }
}

/// The workloads of a study: each once, with all of its rates.
fn workloads(asked: &[Asked<'_>]) -> Vec<WorkloadTable> {
    let mut tables: Vec<(&Asked<'_>, Vec<Rate>)> = Vec::new();
    for one in asked {
        let same = |known: &&mut (&Asked<'_>, Vec<Rate>)| known.0.choice.workload == one.choice.workload;
        match tables.iter_mut().find(same) {
            Some((_, rates)) if !rates.contains(&one.rate) => rates.push(one.rate),
            Some(_) => {}
            None => tables.push((one, vec![one.rate])),
        }
    }
    let table = |(one, rates): (&Asked<'_>, Vec<Rate>)| {
        let is_default = rates == [Rate::Unlimited];
        let own = one.properties.iter().filter(|(name, _)| !of_the_run(name));
        let own = Properties::of(own.map(|(name, value)| (name.as_str(), value.as_str())));
        WorkloadTable {
            name: Some(Text::from(one.choice.workload.as_str()).into()),
            rates: List::of(rates.into_iter().filter(|_| !is_default)),
            properties: Some(own.into()),
            ..WorkloadTable::default()
        }
    };
    tables.into_iter().map(table).collect()
}

fn trials_of<'a>(pieces: &Pieces<'a>, work: &WorkChoice) -> Vec<(usize, &'a TrialRecord)> {
    let all = pieces.candidates.iter();
    all.flat_map(|one| did_work(one, work)).collect()
}

/// How long a trial took, by its phases.
fn median_seconds(trials: &[(usize, &TrialRecord)]) -> f64 {
    let seconds = |trial: &TrialRecord| {
        let load = trial.load.as_ref().map_or(0, |load| load.duration_ns);
        let measure = trial.measure.as_ref().map_or(0, |measure| measure.duration_ns);
        let steady = trial.conditions.warmup_ns.map(Duration::from_nanos);
        let warmup = steady.unwrap_or(trial.spec.warmup.longest);
        (Duration::from_nanos(load + measure) + warmup).as_nanos() as f64 / 1e9
    };
    let mut all: Vec<f64> = trials.iter().map(|(_, trial)| seconds(trial)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// The address of a candidate, at the levels that it lacks; `None` where nobody can ask for them: a server that is already there
/// has the nodes that it has.
fn address(pieces: &Pieces<'_>, candidate: usize) -> Option<String> {
    let mut address = pieces.candidates[candidate].system.address.clone();
    // A system that is known from a log alone has none.
    if address.is_empty() {
        return None;
    }
    for (option, wanted) in pieces.levels(candidate) {
        if option == "nodes" && !lab_request(&address).is_some_and(has_nodes) {
            return None;
        }
        address = with_option(&address, option, wanted);
    }
    Some(address)
}

/// Whether the nodes of a request of the lab are those of its option `nodes`: shards have members of their own.
fn has_nodes(request: &str) -> bool {
    let options = request.split(['?', '&']);
    !options.into_iter().any(|option| option.starts_with("shards="))
}

/// An address with this value of an option in place of another one.
fn with_option(address: &str, option: &str, value: &str) -> String {
    let (place, options) = address.split_once('?').unwrap_or((address, ""));
    let is_other = |one: &&str| !one.is_empty() && one.split('=').next() != Some(option);
    let mut options: Vec<String> = options.split('&').filter(is_other).map(str::to_owned).collect();
    options.push(format!("{option}={value}"));
    format!("{place}?{}", options.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_of_shards_has_no_option_nodes() {
        assert!(has_nodes("mongodb@6.0?cache=1G"));
        assert!(!has_nodes("mongodb?shards=4&partition=client"));
        assert!(!has_nodes("mongodb?partition=client&shards=4"));
    }

    #[test]
    fn an_option_of_an_address_is_replaced() {
        for (address, expected) in [
            ("fjall:", "fjall:?durability=synced"),
            ("fjall:/data?cache=1M", "fjall:/data?cache=1M&durability=synced"),
            (
                "postgres://me@host/db?durability=buffered&tls=on",
                "postgres://me@host/db?tls=on&durability=synced",
            ),
        ] {
            assert_eq!(with_option(address, "durability", "synced"), expected);
        }
    }
}
