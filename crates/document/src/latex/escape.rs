//! Text from names and messages, made harmless for LaTeX.

/// The text with everything escaped that means something to TeX, and what a plain `pdflatex` has no sign for written as
/// its code point.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = None;
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '"' => escaped.push_str("''"),
            // Two of them would become one longer dash or another quotation mark.
            '-' | '\'' | '`' if before == Some(character) => {
                escaped.push_str("{}");
                escaped.push(character);
            }
            '×' => escaped.push_str("$\\times$"),
            'µ' | 'μ' => escaped.push_str("$\\mu$"),
            '±' => escaped.push_str("$\\pm$"),
            '≥' => escaped.push_str("$\\geq$"),
            '≤' => escaped.push_str("$\\leq$"),
            '≈' => escaped.push_str("$\\approx$"),
            '·' => escaped.push_str("$\\cdot$"),
            '–' => escaped.push_str("--"),
            '—' => escaped.push_str("---"),
            '…' => escaped.push_str("\\dots{}"),
            '→' => escaped.push_str("$\\rightarrow$"),
            '\u{a0}' => escaped.push('~'),
            '\u{202f}' | '\u{2009}' => escaped.push_str("\\,"),
            ' '..='~' => escaped.push(character),
            // Accented letters of Latin-1, which every engine has; its few other signs it has not.
            'À'..='ÿ' if !"ÐÞðþ÷".contains(character) => escaped.push(character),
            _ if character.is_whitespace() || character.is_control() => escaped.push(' '),
            _ => escaped.push_str(&format!("\\texttt{{U+{:04X}}}", u32::from(character))),
        }
        before = Some(character);
    }
    escaped
}

/// A label that any engine takes: letters, digits, dashes and colons.
pub(super) fn label(text: &str) -> String {
    let is_harmless = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | ':');
    let kept = text
        .chars()
        .map(|character| if is_harmless(character) { character } else { '-' });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn nothing_keeps_its_meaning_for_tex() {
        assert_eq!(
            escape("50 % of a_b & {c} #1 $x\\y ~^"),
            "50 \\% of a\\_b \\& \\{c\\} \\#1 \\$x\\textbackslash{}y \\textasciitilde{}\\textasciicircum{}"
        );
        assert_eq!(
            escape("\\input{/etc/passwd}"),
            "\\textbackslash{}input\\{/etc/passwd\\}"
        );
    }

    #[test]
    fn signs_are_written_in_ways_that_every_engine_knows() {
        assert_eq!(
            escape("2.36× in 17 µs – 1\u{202f}000"),
            "2.36$\\times$ in 17 $\\mu$s -- 1\\,000"
        );
        assert_eq!(escape("≈ 1.1"), "$\\approx$ 1.1");
        assert_eq!(escape("Zürich 東\n"), "Zürich \\texttt{U+6771} ");
        assert_eq!(escape("2026-11 a--b''"), "2026-11 a-{}-b'{}'");
    }
}
