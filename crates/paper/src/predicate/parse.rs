//! From text to a predicate.

use super::{Comparison, Factor, Predicate, Product, Relation, Sentence, Word};

/// Where a predicate cannot be understood, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: expected {expected}, found `{found}`")]
pub struct Syntax {
    /// Counted from 1.
    pub at: usize,
    /// In words.
    pub expected: &'static str,
    /// The rest of the text, shortened.
    pub found: String,
}

/// Reads a predicate.
///
/// # Errors
/// At the first place that does not fit the grammar, or names a variable that is not bound.
pub fn parse(text: &str) -> Result<Predicate, Syntax> {
    let mut reader = Reader { text, at: 0 };
    let mut sentences = vec![reader.sentence()?];
    while reader.take(";") {
        sentences.push(reader.sentence()?);
    }
    if reader.rest().is_empty() {
        Ok(Predicate(sentences))
    } else {
        Err(reader.expected("`and`, `;` or the end"))
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Takes a sign or a keyword, if it comes next.
    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest();
        let is_word = |character: char| character.is_ascii_alphanumeric();
        let cut_off = sign.ends_with(is_word)
            && rest
                .get(sign.len()..)
                .is_some_and(|rest| rest.starts_with(is_word));
        let found = rest.starts_with(sign) && !cut_off;
        if found {
            self.at += sign.len();
        }
        found
    }

    fn must(&mut self, sign: &str, expected: &'static str) -> Result<(), Syntax> {
        if self.take(sign) {
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    fn expected(&mut self, expected: &'static str) -> Syntax {
        let found: String = self.rest().chars().take(20).collect();
        Syntax {
            at: self.text[..self.at].chars().count() + 1,
            expected,
            found,
        }
    }

    /// Letters, digits, and what joins them in names of systems and columns.
    fn word(&mut self, expected: &'static str) -> Result<String, Syntax> {
        let rest = self.rest();
        let end = rest
            .find(|character: char| !(character.is_ascii_alphanumeric() || "_-.".contains(character)))
            .unwrap_or(rest.len());
        if end == 0 {
            return Err(self.expected(expected));
        }
        self.at += end;
        Ok(rest[..end].to_owned())
    }

    fn sentence(&mut self) -> Result<Sentence, Syntax> {
        let mut variables = Vec::new();
        let is_some = self.take("for some");
        if is_some || self.take("for all") {
            loop {
                let name = self.word("the name of a variable")?;
                self.must("in", "`in`")?;
                let mut words = vec![self.word("a word that the variable stands for")?];
                while !self.rest().starts_with([',', ':']) {
                    words.push(self.word("another word, `,` or `:`")?);
                }
                variables.push((name, words));
                if !self.take(",") {
                    break;
                }
            }
            self.must(":", "`:`")?;
        }
        let mut comparisons = vec![self.comparison(&variables)?];
        while self.take("and") {
            comparisons.push(self.comparison(&variables)?);
        }
        Ok(Sentence {
            is_some,
            variables,
            comparisons,
        })
    }

    fn comparison(&mut self, variables: &[(String, Vec<String>)]) -> Result<Comparison, Syntax> {
        let first = self.product(variables)?;
        let mut rest = Vec::new();
        while let Some((_, relation)) = Relation::ALL.into_iter().find(|(sign, _)| self.take(sign)) {
            rest.push((relation, self.product(variables)?));
        }
        if rest.is_empty() {
            return Err(self.expected("`<`, `<=`, `>` or `>=`"));
        }
        Ok(Comparison { first, rest })
    }

    fn product(&mut self, variables: &[(String, Vec<String>)]) -> Result<Product, Syntax> {
        let first = self.factor(variables)?;
        let mut rest = Vec::new();
        loop {
            let divides = self.take("/");
            if !divides && !self.take("*") {
                return Ok(Product { first, rest });
            }
            rest.push((divides, self.factor(variables)?));
        }
    }

    fn factor(&mut self, variables: &[(String, Vec<String>)]) -> Result<Factor, Syntax> {
        let column = self.word("a number or a column")?;
        if !self.take("(") {
            return match column.parse() {
                Ok(number) => Ok(Factor::Number(number)),
                Err(_) => Err(self.expected("`(`")),
            };
        }
        let mut conditions = Vec::new();
        while !self.take(")") {
            if !conditions.is_empty() {
                self.must(",", "`,` or `)`")?;
            }
            let attribute = self.word("an attribute or `)`")?;
            self.must("=", "`=`")?;
            let word = if self.take("$") {
                let name = self.word("the name of a variable")?;
                if !variables.iter().any(|(known, _)| *known == name) {
                    self.at -= name.len();
                    return Err(self.expected("a variable that the sentence names"));
                }
                Word::Variable(name)
            } else {
                Word::Plain(self.word("a word")?)
            };
            conditions.push((attribute, word));
        }
        Ok(Factor::Cell { column, conditions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_predicate_is_read() {
        let predicate = parse(
            "for all w in A B, n in 10 20: time(system=a-1, workload=$w, ops=$n) / 2 <= time(system=b) < 3.5 and x() > 1; 1 < 2",
        )
        .unwrap();
        assert_eq!(predicate.0.len(), 2);
        let first = &predicate.0[0];
        assert_eq!(
            first.variables[1],
            ("n".to_owned(), vec!["10".to_owned(), "20".to_owned()])
        );
        assert_eq!(first.comparisons.len(), 2);
        assert_eq!(first.comparisons[0].rest.len(), 2);
        let Factor::Cell { column, conditions } = &first.comparisons[0].first.first else {
            panic!("{first:?}");
        };
        assert_eq!(column, "time");
        assert_eq!(
            conditions[0],
            ("system".to_owned(), Word::Plain("a-1".to_owned()))
        );
        assert_eq!(conditions[2], ("ops".to_owned(), Word::Variable("n".to_owned())));
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        for (text, at, expected) in [
            ("", 1, "a number or a column"),
            ("1", 2, "`<`, `<=`, `>` or `>=`"),
            ("1 < 2 or 3", 7, "`and`, `;` or the end"),
            ("time < 2", 6, "`(`"),
            ("time(a) < 2", 7, "`=`"),
            ("time(a=$n) < 2", 9, "a variable that the sentence names"),
            ("for all n 1: 1 < 2", 11, "`in`"),
            ("for all n in : 1 < 2", 14, "a word that the variable stands for"),
            ("time(a=1 b=2) < 2", 10, "`,` or `)`"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!((error.at, error.expected), (at, expected), "{text}: {error}");
        }
    }
}
