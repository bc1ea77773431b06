//! Advice as a document: the answer, its evidence, and what would change it.

use dbdyno_document::{
    Block, Column, Document, Inline, Item, List, ListStyle, Media, Render, Row, Section, Table, TableCell,
    Text, Tone, markdown,
};

use super::marked::marked;
use super::published_claims;
use crate::advice::{Advice, EvidencePlace, GoalCell, GoalRow, Next, RankRow, Statement, Word};
use crate::number;

impl Render for Advice {
    fn document(&self) -> Document {
        let title = if self.title.is_empty() {
            "Advice"
        } else {
            &self.title
        };
        Document {
            kind: "advice".to_owned(),
            title: title.to_owned(),
            body: SECTIONS.iter().map(|section| section(self).into()).collect(),
            footer: "Made by dbdyno from the records of the results named above. It loads nothing from elsewhere: keep it, mail it, commit it."
                .to_owned(),
            ..Document::default()
        }
    }

    /// The page has a heading of its own; in the summary of a pull request the advice is one section.
    fn markdown(&self) -> String {
        let document = Document {
            nesting: 1,
            ..self.document()
        };
        markdown(&document)
    }
}

/// The sections, in their order.
const SECTIONS: [fn(&Advice) -> Section; 11] = [
    answer,
    requirements,
    ranking,
    goals,
    sensitivity,
    next,
    not_measured,
    cautions,
    published,
    scope,
    evidence,
];

fn answer(advice: &Advice) -> Section {
    let headline = Block::headline(tone(advice.word), Text::new().strong(headline(advice)));
    Section {
        is_answer: true,
        ..Section::new("verdict", "Answer", vec![headline, statements(&advice.why)])
    }
}

/// How an answer is colored.
pub(super) const fn tone(word: Word) -> Tone {
    match word {
        Word::Recommend => Tone::Good,
        Word::Shortlist => Tone::Same,
        Word::Undecided => Tone::Plain,
        Word::Nobody => Tone::Bad,
        Word::Refused => Tone::Warning,
    }
}

/// The answer in one line.
pub(super) fn headline(advice: &Advice) -> String {
    let systems = number::list(&advice.systems);
    match advice.word {
        Word::Recommend => format!("Recommended: {systems}"),
        Word::Shortlist => format!("Shortlist: {systems}"),
        Word::Undecided if systems.is_empty() => "Undecided".to_owned(),
        Word::Undecided => format!("Undecided: {systems} may be best"),
        Word::Nobody => "None: no system meets the hard requirements".to_owned(),
        Word::Refused if systems.is_empty() => "Not ranked: the systems are not comparable".to_owned(),
        Word::Refused => format!("Not ranked: {systems} are not comparable"),
    }
}

fn requirements(advice: &Advice) -> Section {
    let systems = advice.requirements.first().map_or(&[][..], |row| &row.systems);
    let columns = std::iter::once(Column::header("hard requirement"));
    let columns = columns.chain(systems.iter().map(|cell| Column::words(&cell.system)));
    let rows = advice.requirements.iter().map(|row| {
        let cells = row.systems.iter().map(|cell| {
            TableCell::new(Text::new().strong(cell.compliance).references(&cell.why.evidence))
                .explained(marked(&cell.why.text))
        });
        Row::new(std::iter::once(TableCell::new(&row.requirement)).chain(cells))
    });
    let table = Table::new("Hard requirements", columns.collect(), rows.collect()).remark(
        "A system that violates a requirement is out. A system without evidence for a requirement stays undecided.",
    );
    Section::new("requirements", "Hard requirements", vec![Block::Table(table)])
}

fn ranking(advice: &Advice) -> Section {
    let columns = vec![
        Column::header("system"),
        Column::numbers("not dominated"),
        Column::numbers("best as stated"),
        Column::numbers("best, weights varied"),
        Column::numbers("advantage of the first"),
    ];
    let table = Table::new("Ranking", columns, advice.ranking.iter().map(rank).collect()).remark(
        "Shares of the draws in which no other system is as good in all goals and better in one, in which the system is best at the \
         stated weights, and in which it is best at weights drawn around them.",
    );
    Section::new("ranking", "Pareto front and ranking", vec![Block::Table(table)])
}

fn rank(row: &RankRow) -> Row {
    let behind = row.behind.map_or_else(
        || "–".to_owned(),
        |(ratio, low, high)| {
            let tie = if row.tied { ", tied" } else { "" };
            format!(
                "{} ({} to {}){tie}",
                number::ratio(ratio),
                number::ratio_digits(low),
                number::ratio_digits(high)
            )
        },
    );
    let share = |share: f64| Text::from(Inline::Bar(share)).plain(number::share(share));
    Row::new([
        Text::from(&row.system),
        share(row.probability_non_dominated),
        share(row.probability_first_as_stated),
        share(row.probability_first),
        behind.into(),
    ])
}

fn goals(advice: &Advice) -> Section {
    let columns = [Column::header("what counts"), Column::numbers("weight")];
    let systems = advice.all_systems().into_iter().map(Column::numbers);
    let rows = advice.goals.iter().map(|row| Row {
        note: format!("{}; {}", row.measured, counted(row)).into(),
        ..Row::new(
            [
                TableCell::new(&row.goal),
                TableCell::new(format!("{:.2}", row.weight)),
            ]
            .into_iter()
            .chain(row.systems.iter().map(goal)),
        )
    });
    let mut remark = "Medians over trials.".to_owned();
    let mut cells = advice.goals.iter().flat_map(|row| &row.systems);
    if cells.any(|cell| cell.contribution.is_some()) {
        remark.push_str(
            " In brackets: points, the weight times how good the value is; −1 point is as bad as being half as good in everything.",
        );
    }
    let table = Table::new(
        "What counts",
        columns.into_iter().chain(systems).collect(),
        rows.collect(),
    );
    Section::new("goals", "What counts", vec![Block::Table(table.remark(remark))])
}

/// What a system has of a goal: the value, and what it gives to the score.
fn goal(cell: &GoalCell) -> TableCell {
    let contribution = cell
        .contribution
        .map_or_else(String::new, |contribution| format!(" ({})", signed(contribution)));
    let text = marked(&format!("{}{contribution}", cell.shown));
    TableCell::new(text.references(cell.evidence.as_slice()))
}

/// How a goal counts.
fn counted(row: &GoalRow) -> String {
    if row.weight == 0.0 && row.unjudged.is_some() {
        "it does not count".to_owned()
    } else {
        format!("counted by {}", row.worth)
    }
}

/// A contribution; what rounds to nothing has no sign.
fn signed(value: f64) -> String {
    match format!("{value:+.2}").as_str() {
        "-0.00" | "+0.00" => "0".to_owned(),
        text => text.replace('-', "−"),
    }
}

fn sensitivity(advice: &Advice) -> Section {
    let block = statements(&advice.sensitivity);
    Section::new("sensitivity", "What would change it", vec![block])
}

fn next(advice: &Advice) -> Section {
    let items: Vec<Item> = advice.next.iter().map(experiment).collect();
    let how = Text::new()
        .code("--next FILE")
        .plain(" writes the study file of the first one. Run it with ")
        .code("dbdyno study run FILE")
        .plain(", then pass its results together with these.");
    let how = (!items.is_empty()).then(|| Block::note(how));
    let list = Block::List(List {
        style: ListStyle::Numbers,
        items,
    });
    Section::new(
        "next",
        "What to measure next",
        std::iter::once(list).chain(how).collect(),
    )
}

fn experiment(next: &Next) -> Item {
    let time = if next.minutes < 1.0 {
        "less than a minute".to_owned()
    } else {
        format!("about {} min", number::quantity(next.minutes.ceil()))
    };
    Item {
        text: marked(&format!("{} It takes {time}.", next.what)),
        body: vec![Block::Details(
            "The study file".into(),
            vec![Block::Code("toml", next.study.clone())],
        )],
    }
}

fn not_measured(advice: &Advice) -> Section {
    Section::new(
        "not-measured",
        "Not measured",
        vec![statements(&advice.not_measured)],
    )
}

fn cautions(advice: &Advice) -> Section {
    Section::new("cautions", "Take care", vec![statements(&advice.cautions)])
}

fn published(advice: &Advice) -> Section {
    let table =
        (!advice.published.is_empty()).then(|| Block::Table(published_claims::table(&advice.published)));
    Section::new("published", "What was published", table.into_iter().collect())
}

fn scope(advice: &Advice) -> Section {
    let facts = advice
        .scope
        .iter()
        .map(|(label, value)| (label.into(), value.into()));
    Section::new("scope", "What it holds for", vec![Block::Facts(facts.collect())])
}

fn evidence(advice: &Advice) -> Section {
    let items = advice.evidence.iter().map(|one| Item {
        text: Text::from(&one.what),
        body: one.places.iter().flat_map(place).collect(),
    });
    let list = Block::List(List {
        style: ListStyle::References,
        items: items.collect(),
    });
    Section::new("evidence", "Evidence", vec![list])
}

/// The trials of a folder: their names in text, links to their records on a page.
fn place(place: &EvidencePlace) -> [Block; 2] {
    let names = place.trials.iter().cloned().map(Inline::Plain).collect();
    let in_text = Text::from(format!("{}: ", place.folder)).with(Inline::Series(names));
    let links = place.trials.iter().fold(Text::new(), |links, trial| {
        links
            .link(trial, format!("{}/trials/{trial}/record.json", place.folder))
            .plain(" ")
    });
    [
        Block::Only(
            Media::TERMINAL | Media::MARKDOWN | Media::LATEX,
            vec![Block::note(in_text)],
        ),
        Block::Only(
            Media::PAGE,
            vec![Block::Details(
                format!("{} ({})", place.folder, place.trials.len()).into(),
                vec![Block::paragraph(links)],
            )],
        ),
    ]
}

fn statements(statements: &[Statement]) -> Block {
    Block::bullets(
        statements
            .iter()
            .map(|statement| marked(&statement.text).references(&statement.evidence)),
    )
}
