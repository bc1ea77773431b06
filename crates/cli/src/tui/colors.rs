//! How the view is dressed: colours where the terminal has them, bold and dim text everywhere.

use dbdyno_report::product_color;
use ratatui::style::{Color, Modifier, Style};

/// The colours of products on a light page (`crates/document/src/html/style.css`): of the two sets the one that can be read on black and
/// on white. Nobody knows what a terminal's background is.
const PRODUCTS: [(u8, u8, u8); 8] = [
    (0x1f, 0x6f, 0xb5),
    (0xc6, 0x53, 0x08),
    (0x0b, 0x82, 0x63),
    (0x8d, 0x4a, 0xa8),
    (0x8f, 0x6b, 0x00),
    (0x2f, 0x8c, 0xa3),
    (0xb8, 0x3d, 0x74),
    (0x5b, 0x66, 0x72),
];
/// The colours by names, which each terminal draws as its owner likes.
const NAMED: [Color; 8] = [
    Color::Blue,
    Color::LightRed,
    Color::Green,
    Color::Magenta,
    Color::Yellow,
    Color::Cyan,
    Color::LightMagenta,
    Color::DarkGray,
];

/// What colours there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// None: a monochrome terminal, or nobody wants them.
    Monochrome,
    /// Sixteen with names.
    Named,
    /// 256 with fixed numbers.
    Indexed,
    /// All.
    Rgb,
}

impl Palette {
    /// Of a terminal of this type; `has_color` says whether colours are wanted.
    pub fn decide(has_color: bool, term: &str, color_term: &str) -> Self {
        let is_monochrome = term.starts_with("vt") || term.ends_with("-m") || term.ends_with("-mono");
        if !has_color || is_monochrome {
            Self::Monochrome
        } else if ["truecolor", "24bit"].contains(&color_term) {
            Self::Rgb
        } else if term.contains("256color") {
            Self::Indexed
        } else {
            Self::Named
        }
    }

    /// Of a system: that of its product, as in reports.
    pub fn product(self, system: &str) -> Style {
        let index = product_color([system]).unwrap_or_default() % PRODUCTS.len();
        let (red, green, blue) = PRODUCTS[index];
        self.color(match self {
            Self::Rgb => Color::Rgb(red, green, blue),
            Self::Indexed => Color::Indexed(nearest(red, green, blue)),
            Self::Named | Self::Monochrome => NAMED[index],
        })
    }

    /// Of what went wrong.
    pub fn bad(self) -> Style {
        self.color(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// Of what deserves attention.
    pub fn warning(self) -> Style {
        self.color(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// Of what is over or runs as it should.
    pub fn good(self) -> Style {
        self.color(Color::Green)
    }

    fn color(self, color: Color) -> Style {
        match self {
            Self::Monochrome => Style::new(),
            _ => Style::new().fg(color),
        }
    }
}

/// Of what matters less.
pub fn faint() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// Of what matters most.
pub fn strong() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

/// The number of the nearest colour in the cube of 6 x 6 x 6 colours.
fn nearest(red: u8, green: u8, blue: u8) -> u8 {
    /// The steps of the cube.
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |value: u8| {
        let distances = (0_u8..)
            .zip(STEPS)
            .map(|(index, step)| (step.abs_diff(value), index));
        distances.min().map_or(0, |(_, index)| index)
    };
    16 + 36 * step(red) + 6 * step(green) + step(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_have_the_colours_of_reports() {
        let style = include_str!("../../../document/src/html/style.css");
        for (index, (red, green, blue)) in PRODUCTS.iter().enumerate() {
            let rule = format!("--c{index}: #{red:02x}{green:02x}{blue:02x};");
            assert!(style.contains(&rule), "{rule}");
        }
    }

    #[test]
    fn a_terminal_gets_the_colours_that_it_has() {
        for (has_color, term, color_term, expected) in [
            (true, "xterm-256color", "truecolor", Palette::Rgb),
            (true, "tmux-256color", "", Palette::Indexed),
            (true, "xterm", "", Palette::Named),
            (true, "vt220", "", Palette::Monochrome),
            (true, "xterm-mono", "", Palette::Monochrome),
            (false, "xterm-256color", "truecolor", Palette::Monochrome),
        ] {
            assert_eq!(
                Palette::decide(has_color, term, color_term),
                expected,
                "{term} {color_term}"
            );
        }
        assert_eq!(Palette::Monochrome.product("redis"), Style::new());
        assert_eq!(
            Palette::Rgb.product("redis"),
            Style::new().fg(Color::Rgb(0xc6, 0x53, 0x08))
        );
        assert_eq!(nearest(0xff, 0, 0), 196);
        assert_eq!(nearest(0x5f, 0x87, 0xaf), 67);
    }
}
