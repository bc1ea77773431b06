//! Running text in HTML.

use dbdyno_vocabulary::shown_name;
use maud::{Markup, html};

use super::Page;
use crate::{Inline, Mark, Target, Text, Tone};

impl Page {
    /// Running text.
    pub(super) fn text(&self, text: &Text) -> Markup {
        html! { @for part in &text.0 { (self.inline(part)) } }
    }

    fn inline(&self, part: &Inline) -> Markup {
        html! {
            @match part {
                Inline::Plain(words) => (words),
                Inline::Strong(words) => strong { (words) },
                Inline::Emphasis(words) => em { (words) },
                Inline::Code(words) => code { (words) },
                Inline::Link(words, target) => (link(words, target)),
                Inline::Name(name) => @match self.colors.get(name) {
                    Some(color) => b class=(format!("sys {}", color_class(*color))) { (shown_name(name)) },
                    None => strong class=[is_long(name).then_some("wide")] { (shown_name(name)) },
                },
                Inline::Value { shown, .. } => (shown),
                Inline::Toned(tone, words) => span class=(format!("toned {}", tone.name())) { (words) },
                Inline::Bar(share) => progress max="1" value=(format!("{share:.3}")) {},
                Inline::Mark(sign) => (mark(sign)),
                Inline::References(numbers) => (references(numbers)),
                Inline::Series(parts) => {
                    @for (index, part) in parts.iter().enumerate() { @if index > 0 { ", " } (self.inline(part)) }
                }
            }
        }
    }
}

/// Whether a name may break anywhere: that of a system is often an address, without a blank to break at.
fn is_long(name: &str) -> bool {
    const SHORT: usize = 20;
    name.chars().count() > SHORT
}

fn link(words: &str, target: &Target) -> Markup {
    let address = match target {
        Target::Anchor(id) => Some(format!("#{id}")),
        Target::Address(address) => allowed(address),
    };
    html! {
        @match address {
            Some(address) => a href=(address) { (words) },
            None => (words),
        }
    }
}

/// The address, if it may be linked: on the web or beside the document. `javascript:` and the like may not.
pub(crate) fn allowed(address: &str) -> Option<String> {
    let start = address.split(['/', '?', '#']).next().unwrap_or_default();
    let is_unseen = |character: char| character.is_control();
    if address.is_empty() || address.contains(is_unseen) {
        return None;
    }
    match start
        .split_once(':')
        .map(|(scheme, _)| scheme.trim().to_ascii_lowercase())
    {
        None => Some(address.to_owned()),
        Some(scheme) if scheme == "https" || scheme == "http" => Some(address.to_owned()),
        Some(_) => None,
    }
}

/// A sign. Without one it keeps values of a column aligned.
pub(super) fn mark(mark: &Mark) -> Markup {
    html! {
        @if mark.sign.is_empty() { span class="mark" aria-hidden="true" { "\u{2007}" } }
        @else { span class=(format!("mark {}", mark.tone.name())) title=(mark.meaning) aria-label=(mark.meaning) { (mark.sign) } }
    }
}

fn references(numbers: &[usize]) -> Markup {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    html! {
        span class="references" {
            @for number in numbers { " " a href=(format!("#reference-{number}")) { "[" (number) "]" } }
        }
    }
}

/// The class of a color; there are eight, then they begin again with a dashed stroke.
pub(super) fn color_class(color: usize) -> String {
    if color < COLORS {
        format!("s{color}")
    } else {
        format!("s{} again", color % COLORS)
    }
}

/// How many different colors there are.
pub(super) const COLORS: usize = 8;

/// The class of a tone; none for a plain one.
pub(super) fn tone_class(tone: Tone) -> Option<&'static str> {
    (tone != Tone::Plain).then_some(tone.name())
}

#[cfg(test)]
mod tests {
    use super::{allowed, is_long};

    #[test]
    fn an_address_may_break_anywhere_and_a_short_name_stays_whole() {
        assert!(is_long("redis://:***@127.0.0.1:6399") && !is_long("lab:redis@7"));
    }

    #[test]
    fn only_the_web_and_neighboring_files_are_linked() {
        for good in [
            "a/report.html",
            "https://example.org",
            "../x#y:z",
            "trials/a:b/record.json",
        ] {
            assert_eq!(allowed(good).as_deref(), Some(good));
        }
        for bad in [
            "javascript:alert(1)",
            " JavaScript:x",
            "java\nscript:x",
            "data:text/html,x",
            "file:///etc",
            "",
        ] {
            assert_eq!(allowed(bad), None, "{bad}");
        }
    }
}
