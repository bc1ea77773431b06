//! The mistakes of one file, collected while the rest of it is checked, so that one run shows all of them.

use crate::Mistake;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// One more.
    pub fn add(&mut self, mistake: Mistake) {
        self.0.push(mistake);
    }

    /// The value, or `None` and one more.
    pub fn keep<T>(&mut self, checked: Result<T, Mistake>) -> Option<T> {
        checked.map_err(|mistake| self.add(mistake)).ok()
    }

    /// The value, or `None` and several more.
    pub fn keep_all<T>(&mut self, checked: Result<T, Vec<Mistake>>) -> Option<T> {
        checked.map_err(|mistakes| self.0.extend(mistakes)).ok()
    }

    /// What was made of the file, where nothing is wrong in it.
    ///
    /// # Errors
    /// All mistakes, each once, in the order of the file. There is at least one where nothing was made.
    pub fn or<T>(mut self, made: Option<T>) -> Result<T, Vec<Mistake>> {
        match made {
            Some(made) if self.0.is_empty() => Ok(made),
            _ => {
                self.0.sort_by_key(|mistake| mistake.span.start);
                let mut each: Vec<Mistake> = Vec::new();
                for mistake in self.0 {
                    // Others may stand between two that are equal: they are at one place.
                    if !each.contains(&mistake) {
                        each.push(mistake);
                    }
                }
                Err(each)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_kept_in_the_order_of_the_file() {
        let at = |place: usize| Mistake::new(place..place + 1, format!("mistake {place}"), "");
        let mut mistakes = Mistakes::default();
        assert_eq!(mistakes.keep(Ok(1)), Some(1));
        assert_eq!(mistakes.keep::<u32>(Err(at(7))), None);
        assert_eq!(mistakes.keep_all::<u32>(Err(vec![at(9), at(3)])), None);
        let other = Mistake::new(3..4, "another one there", "");
        mistakes.add(other.clone());
        mistakes.add(at(3));
        assert_eq!(mistakes.or(Some("made")), Err(vec![at(3), other, at(7), at(9)]));
    }

    #[test]
    fn without_a_mistake_there_is_what_was_made() {
        let mut mistakes = Mistakes::default();
        let made = mistakes.keep(Ok("made"));
        assert_eq!(mistakes.or(made), Ok("made"));
    }
}
