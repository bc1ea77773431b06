//! A budget in words: `200 USD a month`.

use dbdyno_files::values::{Currency, Text};
use dbdyno_files::{Mistake, Placed, Scalar};
use dbdyno_report::advice::{Budget, Per};
use dbdyno_vocabulary::{parse_number, suggest};

const HELP: &str = "write an amount, its currency, and hour, day, month, year or million operations, e.g. \"200 USD a month\"";

/// Words between the amount and what it is for.
const ARTICLES: [&str; 5] = ["a", "an", "per", "each", "every"];
/// What an amount may be for.
const PERS: [(&str, Per); 5] = [
    ("hour", Per::Hour),
    ("day", Per::Day),
    ("month", Per::Month),
    ("year", Per::Year),
    ("million", Per::Million),
];

/// The budget of a text.
pub fn budget(asked: &Placed<Text>) -> Result<Budget, Mistake> {
    let text = &asked.value.0;
    let wrong = |message: String| Mistake::new(asked.span.clone(), message, HELP);
    let spaced = text.replace('/', " per ");
    let mut words = spaced.split_whitespace().peekable();
    let amount = words.next().unwrap_or_default();
    let most = parse_number(amount).map_err(|error| {
        wrong(format!(
            "the budget `{text}` does not begin with an amount: {error}"
        ))
    })?;
    if !most.is_finite() || most <= 0.0 {
        return Err(wrong(format!("a budget is above 0, and this one is `{amount}`")));
    }
    let currency = words.next_if(|word| !ARTICLES.contains(word) && per(word).is_none());
    let currency = currency.map(Currency::read).transpose().map_err(wrong)?;
    words.next_if(|word| ARTICLES.contains(word));
    let Some(unit) = words.next() else {
        return Err(wrong(format!("the budget `{text}` does not say for how long")));
    };
    let per = per(unit).ok_or_else(|| {
        let meant = suggest::after_message(unit, PERS.map(|(name, _)| name));
        wrong(format!(
            "`{unit}` is not a period of a budget, nor `million operations`{meant}"
        ))
    })?;
    if per == Per::Million {
        words.next_if(|word| ["operations", "ops"].contains(word));
    }
    match words.next() {
        Some(more) => Err(wrong(format!(
            "`{more}` is one word too many in the budget `{text}`"
        ))),
        None => Ok(Budget {
            most,
            currency: currency.map(|currency| currency.0),
            per,
            place: asked.span.clone(),
        }),
    }
}

fn per(word: &str) -> Option<Per> {
    PERS.iter().find(|(name, _)| *name == word).map(|(_, per)| *per)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(f64, Option<String>, Per), String> {
        let read = budget(&Placed::from(Text::from(text)));
        read.map(|budget| (budget.most, budget.currency, budget.per))
            .map_err(|mistake| mistake.message)
    }

    #[test]
    fn budgets_are_read_as_people_write_them() {
        let usd = || Some("USD".to_owned());
        for (text, expected) in [
            ("200 a month", (200.0, None, Per::Month)),
            ("200 USD a month", (200.0, usd(), Per::Month)),
            ("0.5 USD/hour", (0.5, usd(), Per::Hour)),
            ("1k USD per year", (1000.0, usd(), Per::Year)),
            ("3 € each day", (3.0, Some("€".to_owned()), Per::Day)),
            ("0.01 USD per million operations", (0.01, usd(), Per::Million)),
            ("0.01 per million", (0.01, None, Per::Million)),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_budget_is_refused() {
        for (text, why) in [
            ("cheap", "does not begin with an amount"),
            ("0 USD a month", "above 0"),
            ("-5 USD a month", "does not begin with an amount"),
            ("200", "does not say for how long"),
            ("200 USD", "does not say for how long"),
            (
                "200 USD a fortnight",
                "`fortnight` is not a period of a budget, nor `million operations`",
            ),
            ("200 USD a moth", "did you mean `month`?"),
            ("200 USD a month or so", "`or` is one word too many"),
            ("200 dollarsdollars a month", "not the name of a currency"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
