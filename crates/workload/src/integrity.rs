//! YCSB's `dataintegrity` values: text that follows from key and field name, so that any later read can check it.

/// Produces the value byte by byte: `key:field`, then again and again `:` and the decimal Java `String.hashCode` of the
/// text so far (that colon included), cut to `length`. Stops when `take` says no; returns whether it never did.
#[inline]
fn produce(key: &[u8], field: &[u8], length: usize, mut take: impl FnMut(u8) -> bool) -> bool {
    let mut written = 0;
    let mut hash: i32 = 0;
    let mut emit = |byte: u8, hash: &mut i32| {
        *hash = hash.wrapping_mul(31).wrapping_add(i32::from(byte));
        written += 1;
        if written <= length { take(byte) } else { true }
    };
    let mut count = 0;
    for byte in key.iter().chain(b":").chain(field) {
        if !emit(*byte, &mut hash) {
            return false;
        }
        count += 1;
    }
    let mut decimal = itoa::Buffer::new();
    while count < length {
        if !emit(b':', &mut hash) {
            return false;
        }
        count += 1;
        for byte in decimal.format(hash).bytes() {
            if !emit(byte, &mut hash) {
                return false;
            }
            count += 1;
        }
    }
    true
}

/// Fills `value` with what this field of this record holds.
pub(crate) fn fill(key: &[u8], field: &[u8], value: &mut [u8]) {
    let mut at = 0;
    produce(key, field, value.len(), |byte| {
        value[at] = byte;
        at += 1;
        true
    });
}

/// Whether `value` is what this field of this record holds at that length.
pub(crate) fn matches(key: &[u8], field: &[u8], length: usize, value: &[u8]) -> bool {
    if value.len() != length {
        return false;
    }
    let mut at = 0;
    produce(key, field, length, |byte| {
        let same = value[at] == byte;
        at += 1;
        same
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_values_match_and_changed_ones_do_not() {
        for length in [0, 1, 10, 29, 30, 100, 1000] {
            let mut value = vec![0; length];
            fill(b"user6284781860667377211", b"field3", &mut value);
            assert!(matches(b"user6284781860667377211", b"field3", length, &value));
            assert!(!matches(
                b"user6284781860667377211",
                b"field3",
                length + 1,
                &value
            ));
            if length > 0 {
                value[length / 2] ^= 1;
                assert!(!matches(b"user6284781860667377211", b"field3", length, &value));
            }
        }
    }

    #[test]
    fn the_hash_is_javas() {
        // "ab".hashCode() + ':' as in Java: for key "a", field "b" the text is "a:b:" whose hashCode is
        // ((97 * 31 + 58) * 31 + 98) * 31 + 58 = 2948561.
        let mut value = [0; 11];
        fill(b"a", b"b", &mut value);
        assert_eq!(&value, b"a:b:2948561");
    }
}
