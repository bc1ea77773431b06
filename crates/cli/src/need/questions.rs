//! Makes a need file by asking: one question at a time, with a default for each, and mistakes reported at once.

use std::io::{self, BufRead};

use dbdyno_files::values::{Consistency, Durability, Nodes, Percentage, Rate, Text, Weight};
use dbdyno_files::{
    GoalTable, Mistake, NeedFile, ObjectiveTable, Placed, RequireTable, Scalar, Table, Tables,
};
use dbdyno_vocabulary::Metric;

use super::{parse, values};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Asks, and returns the text of a need file that was read back without a mistake.
///
/// # Errors
/// When the answers end too early, or cannot be read.
pub fn ask(terminal: Terminal) -> Result<String, Problem> {
    let mut asker = Asker {
        terminal,
        answers: io::stdin().lock(),
    };
    let text = asker
        .need()?
        .to_text("# Made by `dbdyno advise --ask`; docs/advise.md describes every key.\n");
    match parse(&text) {
        Ok(_) => Ok(text),
        // Each answer was checked; what they make together is this function's own work.
        Err(mistakes) => {
            let mut problem = Problem::in_file("need.toml, made from the answers", &text, mistakes);
            problem.exit = ExitCode::Bug;
            Err(problem)
        }
    }
}

struct Asker<R> {
    terminal: Terminal,
    answers: R,
}

impl<R: BufRead> Asker<R> {
    fn need(&mut self) -> Result<NeedFile, Problem> {
        let title: Text = self.value("What is the database for, in one line?", "")?;
        let margin: Percentage = self.value("What is the smallest difference that matters?", "5%")?;
        Ok(NeedFile {
            title: (!title.0.is_empty()).then(|| title.into()),
            margin: Some(margin.into()),
            require: Some(Table(self.requirements()?).into()),
            objective: Tables::of(self.objectives()?),
            goal: Tables::of(self.goals()?),
            ..NeedFile::default()
        })
    }

    fn requirements(&mut self) -> Result<RequireTable, Problem> {
        let durability: Durability = self.value(
            "What must an acknowledged write survive: nothing (none), a crash of the process (buffered) or a crash of the machine (synced)?",
            "buffered",
        )?;
        let nodes = self.question("What is the minimum number of nodes?", "1", |answer| match answer
            .parse::<u64>()
        {
            Ok(nodes @ 1..) => Ok(nodes),
            _ => Err(format!("`{answer}` is not a number of nodes")),
        })?;
        let consistency: Option<Consistency> = match nodes {
            1 => None,
            _ => Some(self.value(
                "How many replicas must take part in each operation: one, quorum or all?",
                "quorum",
            )?),
        };
        let errors: Percentage = self.value("What share of operations may fail?", "0.1%")?;
        Ok(RequireTable {
            durability: Some(durability.into()),
            consistency: consistency.map(Placed::from),
            nodes: (nodes > 1).then(|| Nodes(nodes).into()),
            errors: Some(errors.into()),
            ..RequireTable::default()
        })
    }

    fn objectives(&mut self) -> Result<Vec<ObjectiveTable>, Problem> {
        let mut objectives = Vec::new();
        loop {
            let keep = self.question(
                "Which objective must hold, e.g. p99(read) < 10ms? Press Enter to finish",
                "",
                |answer| match answer {
                    "" => Ok(None),
                    answer => of(answer, values::objective).map(|_| Some(Text::from(answer))),
                },
            )?;
            let Some(keep) = keep else {
                return Ok(objectives);
            };
            let (workload, rate) = self.work()?;
            objectives.push(ObjectiveTable {
                keep: keep.into(),
                workload: workload.into(),
                records: None,
                clients: None,
                rate: Some(rate.into()),
            });
        }
    }

    fn goals(&mut self) -> Result<Vec<GoalTable>, Problem> {
        let mut goals: Vec<GoalTable> = Vec::new();
        loop {
            let none_yet = goals.is_empty();
            let metric = self.question(
                "Which metric matters, e.g. throughput, p99(read), throughput(load), client-cpu? Press Enter to finish",
                if none_yet { "throughput" } else { "" },
                |answer| match answer {
                    "" if !none_yet => Ok(None),
                    answer => match of(answer, values::metric)? {
                        Metric::Errors(_) | Metric::NotFound(_) => {
                            Err("errors have no ratio; limit them with the question above".to_owned())
                        }
                        _ => Ok(Some(Text::from(answer))),
                    },
                },
            )?;
            let Some(metric) = metric else {
                return Ok(goals);
            };
            let (workload, rate) = self.work()?;
            let mut goal = GoalTable {
                metric: Some(metric.into()),
                rate: Some(rate.into()),
                ..GoalTable::of(workload)
            };
            let is_known = goals.iter().any(|known| {
                (&known.metric, &known.workload, &known.rate) == (&goal.metric, &goal.workload, &goal.rate)
            });
            if is_known {
                self.terminal.tell("This metric is already included.");
                continue;
            }
            let weight =
                self.question(
                    "What is its weight, relative to the others?",
                    "1",
                    |answer| match Weight::read(answer)? {
                        Weight(weight) if weight > 0.0 => Ok(Weight(weight)),
                        _ => Err(format!("{answer} is not above 0")),
                    },
                )?;
            goal.weight = Some(weight.into());
            goals.push(goal);
        }
    }

    fn work(&mut self) -> Result<(Text, Rate), Problem> {
        let workload = self.value("Which workload?", "a")?;
        let rate = self.value(
            "What rate, in operations per second, or \"unlimited\" for a closed loop?",
            "unlimited",
        )?;
        Ok((workload, rate))
    }

    /// Asks for a value of a need file.
    fn value<T: Scalar>(&mut self, question: &str, default: &str) -> Result<T, Problem> {
        self.question(question, default, T::read)
    }

    /// Asks until the answer can be used.
    fn question<T>(
        &mut self,
        question: &str,
        default: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Problem> {
        loop {
            let shown = if default.is_empty() {
                String::new()
            } else {
                format!(" [{default}]")
            };
            self.terminal.tell(&format!("{question}{shown}"));
            let mut line = String::new();
            let length = self
                .answers
                .read_line(&mut line)
                .map_err(|error| Problem::files("cannot read an answer").caused_by(error))?;
            if length == 0 {
                return Err(
                    Problem::usage(format!("the input ended before the question: {question}"))
                        .help("answer every question; press Enter to accept the value in brackets"),
                );
            }
            let answer = match line.trim() {
                "" => default,
                answer => answer,
            };
            match read(answer) {
                Ok(value) => return Ok(value),
                Err(why) => self
                    .terminal
                    .tell(&format!("{} {why}", self.terminal.stderr.bad("No:"))),
            }
        }
    }
}

/// Reads an answer as a value of a need file, with its help behind the mistake.
fn of<T>(answer: &str, read: impl FnOnce(&Placed<Text>) -> Result<T, Mistake>) -> Result<T, String> {
    let text = Text::from(answer).into();
    read(&text).map_err(|mistake| format!("{}; {}", mistake.message, mistake.help))
}
