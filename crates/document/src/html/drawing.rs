//! A figure in its page, its data packed beside it, and the drawing as a file of its own.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dbdyno_vocabulary::visible;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, html};

use super::STYLE;
use super::inline::COLORS;
use crate::{Figure, FigureFile};

/// White around the drawing.
const MARGIN: f64 = 12.0;
/// Room for the title above it.
const HEADING: f64 = 22.0;

impl Figure {
    /// The figure in a page, with its caption and its data, under an id that is unique there.
    #[must_use]
    pub fn in_page(&self, id: &str) -> Markup {
        html! {
            figure id=(id) data-points=(packed(self)) {
                figcaption { span { (self.title) } }
                (svg(self, id))
            }
        }
    }

    /// The figure as files of its own; `id` is the one in its page.
    #[must_use]
    pub fn into_file(self, id: String) -> FigureFile {
        FigureFile {
            svg: alone(&self),
            csv: self.data,
            name: id,
        }
    }
}

/// The figure's data for the page's script, which unpacks it when it is saved: gzip in base64. As plain text the data of a
/// large study would not fit beside its drawings.
fn packed(figure: &Figure) -> String {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    let written = packed
        .write_all(figure.data.as_bytes())
        .and_then(|()| packed.finish());
    STANDARD.encode(written.expect("writing to memory does not fail"))
}

/// The drawing in the page, under an id that is unique there.
fn svg(figure: &Figure, id: &str) -> Markup {
    let (title, description) = (format!("{id}-t"), format!("{id}-d"));
    html! {
        svg class="chart" viewBox=(format!("0 0 {} {}", short(figure.width), short(figure.height))) role="img"
            aria-labelledby=(title) aria-describedby=(description) xmlns="http://www.w3.org/2000/svg" {
            title id=(title) { (figure.title) }
            desc id=(description) { (figure.description) }
            (figure.content)
        }
    }
}

/// A length with one decimal, without a useless `.0`.
fn short(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}

/// The drawing alone: light, on white, with its title and its own style, in which every color is written out, because
/// drawing programs do not know the variables of CSS.
fn alone(figure: &Figure) -> String {
    let (width, height) = (
        figure.width + 2.0 * MARGIN,
        figure.height + 2.0 * MARGIN + HEADING,
    );
    let (left, top) = (-MARGIN, -MARGIN - HEADING);
    let content = without_hover(&figure.content.0);
    let drawing = html! {
        svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width=(short(width)) height=(short(height))
            viewBox=(format!("{left} {top} {} {}", short(width), short(height))) {
            title { (figure.title) }
            desc { (figure.description) }
            style { (maud::PreEscaped(style())) }
            rect x=(left) y=(top) width="100%" height="100%" fill="#fff" {}
            text class="name" x="0" y=(-HEADING / 2.0) { (figure.title) }
            (maud::PreEscaped(content))
        }
    };
    visible::text(&drawing.into_string()).into_owned() + "\n"
}

/// The drawing without the invisible columns that show their values when pointed at.
fn without_hover(content: &str) -> String {
    let mut kept = String::with_capacity(content.len());
    let mut rest = content;
    while let Some((before, hover)) = rest.split_once("<rect class=\"hover\"") {
        kept.push_str(before);
        rest = hover.split_once("</rect>").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// The rules for figures of the page's style sheet, with the colors of its light theme written out.
fn style() -> String {
    let variables = light_variables();
    let mut rules = String::new();
    for line in STYLE.lines().filter(|line| line.starts_with(".chart")) {
        let Some((selector, declarations)) = line.split_once(" {") else {
            continue;
        };
        if selector.contains(":hover") || selector.contains(".hover") {
            continue;
        }
        if declarations.contains("var(--c)") {
            for color in 0..COLORS {
                let declarations = declarations.replace("var(--c)", &format!("var(--c{color})"));
                rules.push_str(&format!(
                    "{} {{{}\n",
                    colored(selector, color),
                    resolved(&declarations, &variables)
                ));
            }
        } else {
            rules.push_str(&format!("{selector} {{{}\n", resolved(declarations, &variables)));
        }
    }
    rules
}

/// `selector` for elements that have a system's color, or are within one that has.
fn colored(selector: &str, color: usize) -> String {
    let parts: Vec<&str> = selector.split(' ').collect();
    let within = parts.iter().enumerate().skip(1).map(|(at, part)| {
        let mut parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        parts[at] = format!("{part}.s{color}");
        parts.join(" ")
    });
    std::iter::once(format!(".s{color} {}", parts[1..].join(" ")))
        .chain(within)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Names and values of the variables of the light theme, which the style sheet begins with.
fn light_variables() -> Vec<(String, &'static str)> {
    let block = STYLE.split(['{', '}']).nth(1).unwrap_or_default();
    block
        .split(';')
        .filter_map(|declaration| declaration.trim().split_once(": "))
        .filter(|(name, _)| name.starts_with("--"))
        .map(|(name, value)| (format!("var({name})"), value))
        .collect()
}

fn resolved(declarations: &str, variables: &[(String, &str)]) -> String {
    variables
        .iter()
        .fold(declarations.to_owned(), |text, (name, value)| {
            text.replace(name, value)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_alone_has_colors_and_no_variables() {
        let style = style();
        assert!(!style.contains("var("), "{style}");
        assert!(!style.contains("hover"), "{style}");
        assert!(
            style.contains(".s0 .bar, .chart .bar.s0 { fill: #1f6fb5;"),
            "{style}"
        );
        assert!(style.contains(".chart .tick text { fill: #56616d;"), "{style}");
    }

    #[test]
    fn only_what_is_pointed_at_is_left_out() {
        let content =
            "<g/><rect class=\"hover\" x=\"1\"><title>a</title></rect><path/><rect class=\"hover\"></rect>";
        assert_eq!(without_hover(content), "<g/><path/>");
    }
}
