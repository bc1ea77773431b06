//! Makes a need file by asking: one question at a time, with a default for each, and what is wrong told at once.

use std::io::{self, BufRead};

use dbdyno_driver::{Consistency, Durability};
use dbdyno_study::toml_reader::Placed;
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
    let text = asker.need()?;
    match parse(&text) {
        Ok(_) => Ok(text),
        // Each answer was checked; what they make together is this function's own work.
        Err(mistake) => Err(Problem::new(
            ExitCode::Bug,
            format!("the answers produced an invalid need file: {}", mistake.message),
        )
        .at("need.toml", &text, mistake.span)),
    }
}

struct Asker<R> {
    terminal: Terminal,
    answers: R,
}

/// Whether an answer can be used; why not, otherwise.
type Check<'a> = &'a dyn Fn(&str) -> Result<(), String>;

impl<R: BufRead> Asker<R> {
    fn need(&mut self) -> Result<String, Problem> {
        let any: Check<'_> = &|_| Ok(());
        let mut text = String::from("# Made by `dbdyno advise --ask`; docs/advise.md describes every key.\n");
        let title = self.question("What is the database for, in one line?", "", any)?;
        if !title.is_empty() {
            text.push_str(&format!("title = {}\n", quoted(&title)));
        }
        let margin = self.question("What is the smallest difference that matters?", "5%", &|answer| {
            values::share(answer).map(|_| ())
        })?;
        text.push_str(&format!("margin = {}\n\n[require]\n", quoted(&margin)));
        text.push_str(&self.requirements()?);
        text.push_str(&self.objectives()?);
        text.push_str(&self.goals()?);
        Ok(text)
    }

    fn requirements(&mut self) -> Result<String, Problem> {
        let mut text = String::new();
        let durability = self.question(
            "What must an acknowledged write survive: nothing (none), a crash of the process (buffered) or a crash of the machine (synced)?",
            "buffered",
            &|answer| answer.parse::<Durability>().map(|_| ()),
        )?;
        text.push_str(&format!("durability = {}\n", quoted(&durability)));
        let nodes = self.question(
            "What is the minimum number of nodes?",
            "1",
            &|answer| match answer.parse::<u64>() {
                Ok(1..) => Ok(()),
                _ => Err(format!("`{answer}` is not a number of nodes")),
            },
        )?;
        if nodes != "1" {
            text.push_str(&format!("nodes = {nodes}\n"));
            let consistency = self.question(
                "How many replicas must take part in each operation: one, quorum or all?",
                "quorum",
                &|answer| answer.parse::<Consistency>().map(|_| ()),
            )?;
            text.push_str(&format!("consistency = {}\n", quoted(&consistency)));
        }
        let errors = self.question("What share of operations may fail?", "0.1%", &|answer| {
            values::share(answer).map(|_| ())
        })?;
        text.push_str(&format!("errors = {}\n", quoted(&errors)));
        Ok(text)
    }

    fn objectives(&mut self) -> Result<String, Problem> {
        let mut text = String::new();
        loop {
            let keep = self.question(
                "Which objective must hold, e.g. p99(read) < 10ms? Press Enter to finish",
                "",
                &|answer| match answer {
                    "" => Ok(()),
                    answer => of(answer, values::objective).map(|_| ()),
                },
            )?;
            if keep.is_empty() {
                return Ok(text);
            }
            text.push_str(&format!("\n[[objective]]\nkeep = {}\n", quoted(&keep)));
            text.push_str(&self.work()?);
        }
    }

    fn goals(&mut self) -> Result<String, Problem> {
        let mut text = String::new();
        let mut asked: Vec<(String, String)> = Vec::new();
        loop {
            let none_yet = asked.is_empty();
            let metric = self.question(
                "Which metric matters, e.g. throughput, p99(read), throughput(load), client-cpu? Press Enter to finish",
                if none_yet { "throughput" } else { "" },
                &|answer| match answer {
                    "" if !none_yet => Ok(()),
                    answer => match of(answer, |text| values::metric(&text))? {
                        Metric::Errors(_) | Metric::NotFound(_) => {
                            Err("errors have no ratio; limit them with the question above".to_owned())
                        }
                        _ => Ok(()),
                    },
                },
            )?;
            if metric.is_empty() {
                return Ok(text);
            }
            let work = self.work()?;
            if asked.contains(&(metric.clone(), work.clone())) {
                self.terminal.tell("This metric is already included.");
                continue;
            }
            let weight = self.question("What is its weight, relative to the others?", "1", &|answer| {
                values::positive(answer, 0.0).map(|_| ())
            })?;
            text.push_str(&format!(
                "\n[[goal]]\nmetric = {}\n{work}weight = {}\n",
                quoted(&metric),
                quoted(&weight)
            ));
            asked.push((metric, work));
        }
    }

    fn work(&mut self) -> Result<String, Problem> {
        let workload = self.question("Which workload?", "a", &|_| Ok(()))?;
        let rate = self.question(
            "What rate, in operations per second, or \"unlimited\" for a closed loop?",
            "unlimited",
            &|answer| values::rate(answer).map(|_| ()),
        )?;
        Ok(format!(
            "workload = {}\nrate = {}\n",
            quoted(&workload),
            quoted(&rate)
        ))
    }

    /// Asks until the answer can be used.
    fn question(&mut self, question: &str, default: &str, check: Check<'_>) -> Result<String, Problem> {
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
            match check(answer) {
                Ok(()) => return Ok(answer.to_owned()),
                Err(why) => self
                    .terminal
                    .tell(&format!("{} {why}", self.terminal.stderr.bad("No:"))),
            }
        }
    }
}

/// Reads an answer as a value of a need file, with its help behind the mistake.
fn of<T>(
    answer: &str,
    read: impl FnOnce(Placed<String>) -> Result<T, dbdyno_study::toml_reader::Mistake>,
) -> Result<T, String> {
    let placed = Placed {
        span: 0..answer.len(),
        value: answer.to_owned(),
    };
    read(placed).map_err(|mistake| format!("{}; {}", mistake.message, mistake.help))
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
