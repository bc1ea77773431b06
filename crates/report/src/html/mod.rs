//! The report as one HTML file: nothing is loaded from anywhere, nothing needs the script, and the same model gives
//! the same bytes.

mod about;
mod factors;
mod ladder;
mod names;
mod overview;
mod paper;
mod tables;
mod workload;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::chart::Figure;
use crate::model::ReportModel;
use names::Names;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// Forbids every load, whatever a name or a message may hold.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:";

/// The whole report as one page.
#[must_use]
pub fn html(model: &ReportModel) -> String {
    let mut page = Page {
        names: Names::new(model),
        figures: 0,
    };
    let overview = overview::sections(model, &mut page);
    let paper = paper::section(model, &mut page);
    let workloads: Vec<Markup> = model
        .cells
        .iter()
        .map(|cell| workload::section(cell, &mut page))
        .collect();
    let factors = factors::sections(model, &mut page);
    let ladders = model
        .ladder
        .as_ref()
        .map_or(Vec::new(), |ladder| ladder::sections(ladder, &mut page));
    let about = about::sections(model);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                meta name="generator" content="dbdyno";
                title { (model.study) " · dbdyno report" }
                style id="style" { (PreEscaped(STYLE)) }
            }
            body {
                a class="skip" href="#verdict" { "Skip to the verdict" }
                (header(model))
                div class="page" {
                    (contents(model))
                    main { (overview) (paper) @for section in ladders.iter().chain(&workloads) { (section) } (factors) (about) }
                }
                footer { "Made by dbdyno from the records of the study. It loads nothing and can be kept, mailed and committed." }
                div id="tip" role="status" hidden {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    document.into_string()
}

/// What sections need besides the model.
struct Page {
    names: Names,
    figures: usize,
}

impl Page {
    /// A figure with its caption.
    fn figure(&mut self, figure: &Figure) -> Markup {
        self.figures += 1;
        let id = format!("figure-{}", self.figures);
        html! {
            figure id=(id) {
                figcaption {
                    span { (figure.title) }
                    span class="save" hidden {
                        button type="button" data-save="svg" aria-label=(format!("Save as SVG: {}", figure.title)) { "SVG" }
                        button type="button" data-save="png" aria-label=(format!("Save as PNG: {}", figure.title)) { "PNG" }
                    }
                }
                (figure.svg(&id))
            }
        }
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
