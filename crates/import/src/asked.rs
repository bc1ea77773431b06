//! What a run was asked to do: the command line and the properties that a log begins with.

use std::collections::BTreeMap;

/// Properties that shape the work (YCSB's `CoreWorkload`). Others are left out: some hold passwords.
const OF_THE_WORK: [&str; 27] = [
    "recordcount",
    "operationcount",
    "insertcount",
    "insertstart",
    "fieldcount",
    "fieldlength",
    "minfieldlength",
    "fieldlengthdistribution",
    "readallfields",
    "writeallfields",
    "dataintegrity",
    "readproportion",
    "updateproportion",
    "insertproportion",
    "scanproportion",
    "readmodifywriteproportion",
    "deleteproportion",
    "requestdistribution",
    "hotspotdatafraction",
    "hotspotopnfraction",
    "exponential.percentile",
    "exponential.frac",
    "minscanlength",
    "maxscanlength",
    "scanlengthdistribution",
    "insertorder",
    "zeropadding",
];

/// What a log states about the start of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Whether the log states it at all.
    pub reported: bool,
    /// Class or name of the database's binding.
    pub binding: Option<String>,
    /// Last part of the name of the workload's property file.
    pub workload: Option<String>,
    /// Clients.
    pub clients: Option<u32>,
    /// Operations a second; `None`: no rate, or not stated.
    pub rate: Option<f64>,
    /// Whether it was a load.
    pub load: bool,
    /// Properties that shape the work.
    pub properties: BTreeMap<String, String>,
}

impl Asked {
    /// Reads YCSB's `Command line: -db ... -P ... -p name=value -threads 4 -target 1000`.
    pub fn of_command_line(line: &str) -> Self {
        let mut asked = Self {
            reported: true,
            ..Self::default()
        };
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "-load" => asked.load = true,
                "-db" => asked.binding = words.next().map(str::to_owned),
                "-P" => asked.workload = words.next().map(last_part),
                "-threads" => asked.property("threadcount", words.next().unwrap_or_default()),
                "-target" => asked.property("target", words.next().unwrap_or_default()),
                "-p" => {
                    if let Some((name, value)) = words.next().and_then(|word| word.split_once('=')) {
                        asked.property(name, value);
                    }
                }
                _ => {}
            }
        }
        asked
    }

    /// Takes one property.
    pub fn property(&mut self, name: &str, value: &str) {
        match name {
            "threadcount" => self.clients = value.parse().ok().filter(|clients| *clients > 0),
            "target" => self.rate = value.parse().ok().filter(|rate: &f64| *rate > 0.0),
            "dotransactions" => self.load |= value == "false",
            "db" => self.binding = Some(value.to_owned()),
            _ if OF_THE_WORK.contains(&name) => {
                self.properties.insert(name.to_owned(), value.to_owned());
            }
            _ => {}
        }
    }

    /// A property that is a whole number above zero.
    pub fn count(&self, name: &str) -> Option<u64> {
        let value = self.properties.get(name)?.parse().ok();
        value.filter(|count| *count > 0)
    }
}

/// `workloads/workloada` is `workloada`.
fn last_part(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_taken() {
        let asked = Asked::of_command_line(
            "-db site.ycsb.db.JdbcDBClient -P workloads/workloada -p db.passwd=hunter2 -p recordcount=1000 -threads 8 -target \
             500 -t",
        );
        assert!(!format!("{asked:?}").contains("hunter2"));
        assert_eq!((asked.clients, asked.rate), (Some(8), Some(500.0)));
        assert_eq!(asked.count("recordcount"), Some(1000));
        assert_eq!(asked.workload.as_deref(), Some("workloada"));
        assert!(!asked.load);
    }
}
