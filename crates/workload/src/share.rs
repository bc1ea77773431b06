//! Which operations of a sequence one of several load generators carries out.

/// Some of the slots of a sequence: of each so many operation numbers in a row, those in certain places. Shares that divide the slots
/// among themselves divide every sequence, and each is as much of it as its slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    first: u32,
    count: u32,
    of: u32,
}

impl Share {
    /// All operations.
    pub const WHOLE: Self = Self {
        first: 0,
        count: 1,
        of: 1,
    };

    /// The slots `first..first + count` of `of`; `None` when there are none, or fewer than that.
    #[must_use]
    pub const fn new(first: u32, count: u32, of: u32) -> Option<Self> {
        match first.checked_add(count) {
            Some(end) if count > 0 && end <= of => Some(Self { first, count, of }),
            _ => None,
        }
    }

    /// Whether it is all operations.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.count == self.of
    }

    /// Whether the operation of this number is one of its own.
    #[must_use]
    pub const fn has(self, number: u64) -> bool {
        let slot = number % self.of as u64;
        slot >= self.first as u64 && slot < self.first as u64 + self.count as u64
    }

    /// The number of its own operation in this place, from 0.
    #[inline]
    #[must_use]
    pub const fn number(self, place: u64) -> u64 {
        if self.is_whole() {
            return place;
        }
        let count = self.count as u64;
        place / count * self.of as u64 + self.first as u64 + place % count
    }

    /// How many of the operations below this number are its own.
    #[must_use]
    pub const fn below(self, number: u64) -> u64 {
        if self.is_whole() {
            return number;
        }
        let (count, of) = (self.count as u64, self.of as u64);
        let slots = (number % of).saturating_sub(self.first as u64);
        number / of * count + if slots < count { slots } else { count }
    }

    /// The numbers of its own operations from this place on.
    #[inline]
    pub(crate) fn numbers(self, place: u64, numbers: &mut [u64]) {
        if self.is_whole() {
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = place.wrapping_add(index as u64);
            }
            return;
        }
        let count = u64::from(self.count);
        let mut slot = place % count;
        let mut base = place / count * u64::from(self.of) + u64::from(self.first);
        for number in numbers {
            *number = base + slot;
            slot += 1;
            if slot == count {
                slot = 0;
                base += u64::from(self.of);
            }
        }
    }

    /// How many operations of the sequence there are for each of its own.
    pub(crate) fn thinning(self) -> f64 {
        f64::from(self.of) / f64::from(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every division of so many slots into runs, by the bits of a number: one ends where a bit is set.
    fn divisions(of: u32) -> Vec<Vec<Share>> {
        let division = |ends: u32| {
            let mut shares = Vec::new();
            let mut first = 0;
            for slot in 0..of {
                if slot + 1 == of || ends & (1 << slot) != 0 {
                    shares.extend(Share::new(first, slot + 1 - first, of));
                    first = slot + 1;
                }
            }
            shares
        };
        (0..1 << (of - 1)).map(division).collect()
    }

    #[test]
    fn shares_that_divide_the_slots_divide_the_numbers() {
        for of in 1..=6 {
            for shares in divisions(of) {
                for number in 0..50 {
                    let owners = shares.iter().filter(|share| share.has(number)).count();
                    assert_eq!(owners, 1, "{number} of {shares:?}");
                    let below: u64 = shares.iter().map(|share| share.below(number)).sum();
                    assert_eq!(below, number, "{shares:?}");
                }
            }
        }
    }

    #[test]
    fn a_place_and_its_number_belong_together() {
        for share in divisions(5).into_iter().flatten() {
            let mut numbers = [0; 40];
            for place in 0..20 {
                share.numbers(place, &mut numbers);
                for (index, number) in numbers.iter().enumerate() {
                    let place = place + index as u64;
                    assert_eq!(share.number(place), *number);
                    assert!(share.has(*number));
                    assert_eq!(share.below(*number), place);
                }
            }
        }
    }

    #[test]
    fn no_slots_are_no_share() {
        assert_eq!(Share::new(0, 0, 4), None);
        assert_eq!(Share::new(3, 2, 4), None);
        assert_eq!(Share::new(u32::MAX, 2, 4), None);
        assert_eq!(Share::new(0, 0, 0), None);
        assert!(Share::new(0, 4, 4).is_some_and(Share::is_whole));
        assert_eq!(Share::WHOLE.below(u64::MAX), u64::MAX);
    }
}
