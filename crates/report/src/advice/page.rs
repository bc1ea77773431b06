//! Advice as one HTML page, which loads nothing; every sentence links to its evidence, and every evidence to its records.

use maud::{DOCTYPE, Markup, html};

use super::text::{RANKING, counted, goal_cell, headline, minutes, ranking};
use super::{Advice, Told, Word};
use crate::html::{head, written};

/// What only this page has.
const OWN_STYLE: &str = "progress { width: 8rem; accent-color: var(--accent); } th .remark { font-weight: 400; } .marks { font-size: .8em; white-space: nowrap; } \
                         :target { background: var(--warn-bg); } .page.single { grid-template-columns: minmax(0, 1fr); }";
/// Forbids every load and every script, whatever a name or a message may hold.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

impl Advice {
    /// As one page of HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let title = if self.title.is_empty() {
            "Advice"
        } else {
            &self.title
        };
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                (head(&format!("{title} · dbdyno advice"), POLICY, OWN_STYLE))
                body {
                    a class="skip" href="#verdict" { "Skip to the answer" }
                    header class="top" {
                        div { p class="brand" { "dbdyno" span { "advice" } } h1 { (title) } }
                    }
                    div class="page single" {
                        main { (self.verdict()) (self.requirement_section()) (self.ranking_section()) (self.goal_section())
                            (self.sensitivity_section()) (self.next_section()) (list("Not measured", &self.not_measured))
                            (list("Take care", &self.cautions)) (self.scope_section()) (self.evidence_section()) }
                    }
                    footer { "Made by dbdyno from the records of the results named above. It loads nothing and can be kept, mailed and committed." }
                }
            }
        };
        written(document)
    }

    fn verdict(&self) -> Markup {
        let class = match self.word {
            Word::Recommend => "shown",
            Word::Shortlist => "same",
            Word::Undecided => "undecided",
            Word::Nobody | Word::Refused => "refused",
        };
        html! {
            section id="verdict" class="verdict" {
                h2 { "Answer" }
                p class=(format!("headline {class}")) { strong { (headline(self)) } }
                @for told in &self.why { p { (sentence(told)) } }
            }
        }
    }

    fn requirement_section(&self) -> Markup {
        html! {
            @if let Some(first) = self.requirements.first() {
                section id="requirements" {
                    h2 { "Hard requirements" }
                    p class="about" { "A system that is shown to violate one is out. What is not shown is neither in nor out." }
                    div class="scroll" tabindex="0" role="region" aria-label="Hard requirements" {
                        table {
                            thead { tr { th scope="col" { "requirement" } @for cell in &first.systems { th scope="col" { (cell.system) } } } }
                            tbody {
                                @for row in &self.requirements {
                                    tr {
                                        th scope="row" { (row.requirement) }
                                        @for cell in &row.systems {
                                            td { strong { (cell.standing) } ": " (sentence(&cell.why)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn ranking_section(&self) -> Markup {
        html! {
            @if !self.ranking.is_empty() {
                section id="ranking" {
                    h2 { "Pareto front and ranking" }
                    p class="about" { "How often, over draws of what was measured: nobody is as good in all and better in something; it is best at the stated weights; it is best when the weights are in doubt, too." }
                    div class="scroll" tabindex="0" role="region" aria-label="Ranking" {
                        table {
                            thead { tr { @for title in RANKING { th scope="col" { (title) } } } }
                            tbody {
                                @for row in &self.ranking {
                                    @let cells = ranking(row);
                                    tr {
                                        th scope="row" { (cells[0]) }
                                        td { (bar(row.probability_non_dominated)) " " (cells[1]) }
                                        td { (bar(row.probability_first_as_stated)) " " (cells[2]) }
                                        td { (bar(row.probability_first)) " " (cells[3]) }
                                        td { (cells[4]) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn goal_section(&self) -> Markup {
        html! {
            section id="goals" {
                h2 { "What counts" }
                p class="about" { "Medians over trials. In brackets: weight times worth, in doublings; −1 is as bad as being half as good in everything." }
                div class="scroll" tabindex="0" role="region" aria-label="What counts" {
                    table {
                        thead { tr { th scope="col" { "goal" } th scope="col" class="number" { "weight" } @for name in self.all_systems() { th scope="col" class="number" { (name) } } } }
                        tbody {
                            @for row in &self.goals {
                                tr {
                                    th scope="row" { (row.goal) div class="remark" { (row.measured) "; " (counted(row)) } }
                                    td class="number" { (format!("{:.2}", row.weight)) }
                                    @for cell in &row.systems {
                                        td class="number" {
                                            @match cell.evidence {
                                                Some(number) => a href=(format!("#evidence-{number}")) { (goal_cell(cell)) },
                                                None => (goal_cell(cell)),
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn sensitivity_section(&self) -> Markup {
        let all: Vec<Told> = self
            .sensitivity
            .iter()
            .chain(&self.second_opinion)
            .cloned()
            .collect();
        list("What would change it", &all)
    }

    fn next_section(&self) -> Markup {
        html! {
            @if !self.next.is_empty() {
                section id="next" {
                    h2 { "What to measure next" }
                    ol {
                        @for one in &self.next {
                            li {
                                (one.what) " It takes " (minutes(one.minutes)) "."
                                details { summary { "The study file" } pre { (one.study) } }
                            }
                        }
                    }
                    p class="about" { "Run it with " code { "dbdyno study run FILE" } ", and give its results beside these." }
                }
            }
        }
    }

    fn scope_section(&self) -> Markup {
        html! {
            section id="scope" {
                h2 { "What it holds for" }
                table { tbody { @for (label, value) in &self.scope { tr { th scope="row" { (label) } td { (value) } } } } }
            }
        }
    }

    fn evidence_section(&self) -> Markup {
        html! {
            section id="evidence" {
                h2 { "Evidence" }
                ol {
                    @for one in &self.evidence {
                        li id=(format!("evidence-{}", one.number)) {
                            (one.what)
                            @for place in &one.places {
                                details {
                                    summary { (place.folder) " (" (place.trials.len()) ")" }
                                    @for trial in &place.trials {
                                        a href=(format!("{}/trials/{trial}/record.json", place.folder)) { (trial) } " "
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn bar(share: f64) -> Markup {
    html! { progress max="1" value=(format!("{share:.3}")) {} }
}

fn sentence(told: &Told) -> Markup {
    let mut numbers = told.evidence.clone();
    numbers.sort_unstable();
    numbers.dedup();
    html! {
        (told.text)
        @if !numbers.is_empty() {
            span class="marks" {
                @for number in numbers { " " a href=(format!("#evidence-{number}")) { "[" (number) "]" } }
            }
        }
    }
}

fn list(title: &str, sentences: &[Told]) -> Markup {
    html! {
        @if !sentences.is_empty() {
            section { h2 { (title) } ul { @for told in sentences { li { (sentence(told)) } } } }
        }
    }
}
