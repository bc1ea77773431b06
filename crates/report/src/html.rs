//! The report as one HTML file: nothing is loaded from anywhere, nothing needs the script, and the same model gives
//! the same bytes.

mod about;
mod factors;
mod ladder;
mod names;
mod overview;
mod paper;
mod plots;
mod tables;
mod workload;

use dbdyno_document::{Figure, FigureFile, SCRIPT, policy};
use dbdyno_vocabulary::visible;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::ReportModel;
use names::Names;

const STYLE: &str = include_str!("html/style.css");

/// The page as text, with nothing in it that a reader does not see.
fn written(document: Markup) -> String {
    visible::text(&document.into_string()).into_owned()
}

/// The whole report as one page.
#[must_use]
pub fn html(model: &ReportModel) -> String {
    let mut page = Page::new(model);
    let main = page.sections(model);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("{} · dbdyno report", model.study), &policy(Some(SCRIPT))))
            body {
                a class="skip" href="#verdict" { "Skip to the verdict" }
                (header(model))
                div class="page" {
                    (contents(model))
                    main { (main) }
                }
                footer { "Made by dbdyno from the records of the study. It loads nothing and can be kept, mailed and committed." }
                div id="tip" role="status" hidden {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    written(document)
}

/// The head of every page of ours. `policy` says what it may do, and it never loads.
fn head(title: &str, policy: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="color-scheme" content="light dark";
            meta name="generator" content="dbdyno";
            title { (title) }
            style id="style" { (PreEscaped(STYLE)) }
        }
    }
}

/// Every figure of the page, in its order.
#[must_use]
pub fn figures(model: &ReportModel) -> Vec<FigureFile> {
    let mut page = Page::new(model);
    page.sections(model);
    page.figures
        .into_iter()
        .map(|(id, figure)| figure.into_file(id))
        .collect()
}

/// What sections need besides the model.
struct Page {
    names: Names,
    /// The figures so far, with their ids.
    figures: Vec<(String, Figure)>,
}

impl Page {
    fn new(model: &ReportModel) -> Self {
        Self {
            names: Names::new(model),
            figures: Vec::new(),
        }
    }

    /// All sections, in their order.
    fn sections(&mut self, model: &ReportModel) -> Markup {
        html! {
            (overview::sections(model, self))
            (paper::section(model, self))
            @if let Some(ladder) = &model.ladder { @for section in ladder::sections(ladder, self) { (section) } }
            @for cell in &model.cells { (workload::section(cell, self)) }
            (factors::sections(model, self))
            (about::sections(model))
        }
    }

    /// A figure with its caption, in the section of that id.
    fn figure(&mut self, section: &str, figure: dbdyno_chart::Figure) -> Markup {
        let figure = Figure {
            name: figure.name,
            title: figure.title,
            description: figure.description,
            width: dbdyno_chart::WIDTH,
            height: figure.height,
            content: figure.content,
            data: figure.data.csv(),
        };
        let mut id = format!("{section}--{}", figure.name);
        while self.figures.iter().any(|(taken, _)| *taken == id) {
            id.push_str("-again");
        }
        let markup = figure.in_page(&id);
        self.figures.push((id, figure));
        markup
    }
}

fn header(model: &ReportModel) -> Markup {
    html! {
        header class="top" {
            div {
                p class="brand" { "dbdyno" span { "study report" @if !model.title.is_empty() { " · " (model.study) } } }
                h1 { @if model.title.is_empty() { (model.study) } @else { (model.title) } }
                p class="meta" { (about::extent(model)) }
            }
            button type="button" id="theme" hidden aria-label="Switch between light and dark" { "Light / dark" }
        }
    }
}

fn contents(model: &ReportModel) -> Markup {
    html! {
        nav class="contents" aria-label="Contents" {
            ol {
                li { a href="#verdict" { "Verdict" } }
                @if let Some(ladder) = &model.ladder {
                    @for cell in &ladder.cells { li class="sub" { a href=(format!("#{}", cell.id)) { (cell.title) } } }
                } @else {
                    li { a href="#glance" { "At a glance" } }
                }
                @if model.paper.is_some() { li { a href="#paper" { "The paper and now" } } }
                @for cell in &model.cells {
                    li class="sub" { a href=(format!("#{}", cell.id)) { (cell.title) } }
                }
                @if model.effects.is_some() { li { a href="#effects" { "Effects" } } }
                @if model.growth.is_some() { li { a href="#growth" { "Growth" } } }
                @if overview::has_problems(model) { li { a href="#findings" { "Findings" } } }
                li { a href="#systems" { "Systems" } }
                li { a href="#environment" { "Environment" } }
                li { a href="#method" { "How to read this" } }
                @if !model.study_text.is_empty() { li { a href="#study" { "Study file" } } }
            }
        }
    }
}
