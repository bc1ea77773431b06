//! YCSB's key hash and stored key names.

use crate::specification::InsertOrder;

const OFFSET_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 1_099_511_628_211;

/// FNV-1a over the eight little-endian bytes of `value`, made positive as Java's `Math.abs` does: YCSB's
/// `Utils.fnvhash64`. It scatters consecutive record numbers over the key space.
#[inline(always)]
#[must_use]
pub const fn fnvhash64(value: u64) -> u64 {
    let mut hash = OFFSET_BASIS;
    let mut octet = 0;
    while octet < 8 {
        hash ^= (value >> (8 * octet)) & 0xff;
        hash = hash.wrapping_mul(PRIME);
        octet += 1;
    }
    (hash as i64).unsigned_abs()
}

/// Writes stored key names: `user`, zeros up to `zeropadding` digits, and the record number, hashed or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyNames {
    hashed: bool,
    zero_padding: usize,
}

impl KeyNames {
    pub(crate) fn new(order: InsertOrder, zero_padding: u32) -> Self {
        Self {
            hashed: order == InsertOrder::Hashed,
            zero_padding: zero_padding as usize,
        }
    }

    /// The number that the name shows.
    #[inline(always)]
    pub(crate) fn shown(self, number: u64) -> u64 {
        if self.hashed { fnvhash64(number) } else { number }
    }

    /// Appends the name of a record whose shown number is `shown` to the emptied `name`.
    #[inline(always)]
    pub(crate) fn write(self, shown: u64, name: &mut Vec<u8>) {
        if self.zero_padding > 24 {
            write_long(shown, self.zero_padding, name);
            return;
        }
        let digits = decimal_digits(shown).max(self.zero_padding);
        let [high, middle, low] = all_digits(shown);
        if (17..=20).contains(&digits) {
            // Nearly every hashed number. Written from registers: reading back what was just written in other pieces
            // would make the processor wait.
            let leading = digits - 16;
            let first = u64::from(u32::from_le_bytes(*b"user")) | ((high >> (8 * (8 - leading))) << 32);
            name.extend_from_slice(&[0; 24]);
            name[..8].copy_from_slice(&first.to_le_bytes());
            name[4 + leading..12 + leading].copy_from_slice(&middle.to_le_bytes());
            name[12 + leading..20 + leading].copy_from_slice(&low.to_le_bytes());
            name.truncate(20 + leading);
            return;
        }
        let mut buffer = [0; 28];
        for (place, digits) in buffer[4..].chunks_exact_mut(8).zip([high, middle, low]) {
            place.copy_from_slice(&digits.to_le_bytes());
        }
        let start = buffer.len() - digits - 4;
        buffer[start..start + 4].copy_from_slice(b"user");
        name.extend_from_slice(&buffer[start..]);
    }
}

#[cold]
fn write_long(shown: u64, zero_padding: usize, name: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(shown).as_bytes();
    name.extend_from_slice(b"user");
    name.resize(4 + zero_padding.saturating_sub(digits.len()), b'0');
    name.extend_from_slice(digits);
}

/// Number of decimal digits, 1 for 0.
#[inline(always)]
fn decimal_digits(value: u64) -> usize {
    match value.checked_ilog10() {
        Some(log) => log as usize + 1,
        None => 1,
    }
}

/// All 24 digits of `value`, zeros first, eight in a number.
#[inline(always)]
fn all_digits(value: u64) -> [u64; 3] {
    const EIGHT: u64 = 100_000_000;
    let rest = value % (EIGHT * EIGHT);
    [
        eight_digits(value / (EIGHT * EIGHT)),
        eight_digits(rest / EIGHT),
        eight_digits(rest % EIGHT),
    ]
}

/// The eight decimal digits of `value < 10^8` as text, first digit in the lowest byte: the number is cut in halves
/// three times, all halves of one step in one multiplication.
#[inline(always)]
fn eight_digits(value: u64) -> u64 {
    let halves = (value / 10_000) | ((value % 10_000) << 32);
    // x / 100 for x < 10^4 is x * 10486 >> 20.
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | ((halves - hundreds * 100) << 16);
    // x / 10 for x < 100 is x * 103 >> 10.
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    (tens | ((pairs - tens * 10) << 8)) + 0x3030_3030_3030_3030
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_random::mix;

    fn name(order: InsertOrder, zero_padding: u32, number: u64) -> String {
        let names = KeyNames::new(order, zero_padding);
        let mut buffer = Vec::new();
        names.write(names.shown(number), &mut buffer);
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn names_of_ycsb() {
        for (number, expected) in [
            (0, "user6284781860667377211"),
            (1, "user8517097267634966620"),
            (2, "user1820151046732198393"),
            (3, "user4052466453699787802"),
            (4, "user3232700585171816769"),
            (5, "user1000385178204227360"),
        ] {
            assert_eq!(name(InsertOrder::Hashed, 1, number), expected);
        }
    }

    #[test]
    fn padding_and_order() {
        assert_eq!(name(InsertOrder::Ordered, 1, 0), "user0");
        assert_eq!(name(InsertOrder::Ordered, 0, 7), "user7");
        assert_eq!(name(InsertOrder::Ordered, 12, 1234), "user000000001234");
        assert_eq!(name(InsertOrder::Ordered, 3, 123_456), "user123456");
        assert_eq!(name(InsertOrder::Ordered, 24, 5), format!("user{:024}", 5));
        assert_eq!(name(InsertOrder::Ordered, 60, 5), format!("user{:060}", 5));
        assert_eq!(
            name(InsertOrder::Ordered, 1, u64::MAX),
            format!("user{}", u64::MAX)
        );
    }

    #[test]
    fn digits_agree_with_the_standard_library() {
        let mut value = 1u64;
        for step in 0..20_000 {
            for shift in [0, 7, 20, 33, 46, 60] {
                let number = mix(value + step) >> shift;
                assert_eq!(name(InsertOrder::Ordered, 1, number), format!("user{number}"));
            }
            value = value.wrapping_mul(10).max(1);
        }
    }
}
