//! The bytes that operations write.
//!
//! The distribution of each byte is that of YCSB's `RandomByteIterator`: a space plus random bits under the masks
//! 31, 63, 95, 31, 63, 95..., from the value's first byte on. YCSB takes the bits of six bytes from one 32-bit
//! number, so that its neighbouring bytes share bits; ours are independent.
//!
//! With `compressibility` c the last `round(c * length)` bytes of each value are `=`.

use dbdyno_random::{STEP, mix};

/// The random bits that each of six bytes keeps; a space is added.
const MASKS: [u8; 6] = [31, 63, 95, 31, 63, 95];
const CONSTANT: u8 = b'=';
/// Generators side by side: enough that none waits for itself, in the widest registers there are.
const LANES: usize = 16;
/// Bytes made at a time.
const CHUNK: usize = LANES * 8;
/// Records up to this size have their whole pattern prepared.
const MOST_PREPARED: usize = 1 << 20;

/// Masks and sums for one chunk, eight bytes in a number.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    mask: [u64; LANES],
    sum: [u64; LANES],
}

/// Makes values of one workload.
#[derive(Clone, Debug)]
pub(crate) struct ValueMaker {
    compressibility: f64,
    /// The pattern of a value of any length: its period of 6 bytes in chunks of 128 bytes repeats every 384 bytes.
    endless: [Pattern; 3],
    /// The pattern of a whole record of fields of one length, and of its first field alone.
    record: Vec<Pattern>,
    registers: Registers,
}

impl ValueMaker {
    /// `regular` is the `(count, length)` of records whose fields have one length.
    pub(crate) fn new(compressibility: f64, regular: Option<(u32, u32)>) -> Self {
        let mut maker = Self {
            compressibility,
            endless: [Pattern {
                mask: [0; LANES],
                sum: [0; LANES],
            }; 3],
            record: Vec::new(),
            registers: Registers::widest(),
        };
        for (index, pattern) in maker.endless.iter_mut().enumerate() {
            *pattern = pattern_of(|at| (MASKS[(index * CHUNK + at) % 6], b' '));
        }
        if let Some((count, length)) = regular {
            maker.prepare_record(count as usize, length as usize);
        }
        maker
    }

    /// Prepares the pattern of a whole record of `count` values, unless it is too long.
    fn prepare_record(&mut self, count: usize, length: usize) {
        let bytes = count * length;
        if !(1..=MOST_PREPARED).contains(&bytes) {
            return;
        }
        let random = self.random_bytes(length);
        let of_byte = |at: usize| match at % length {
            at if at < random => (MASKS[at % 6], b' '),
            _ => (0, CONSTANT),
        };
        self.record = (0..bytes.div_ceil(CHUNK))
            .map(|chunk| pattern_of(|at| of_byte(chunk * CHUNK + at)))
            .collect();
    }

    /// How many bytes of a value of that length are random.
    fn random_bytes(&self, length: usize) -> usize {
        if self.compressibility == 0.0 {
            return length;
        }
        let constant = (self.compressibility * length as f64).round() as usize;
        length - constant.min(length)
    }

    /// Fills a regular record, or its first fields, from 64 random bits. False when no pattern was prepared.
    #[inline]
    pub(crate) fn fill_record(&self, draw: u64, bytes: &mut [u8]) -> bool {
        if self.record.is_empty() {
            return false;
        }
        let mut generators = Generators::new(draw);
        generators.fill(bytes, &self.record, self.registers);
        true
    }

    /// Fills values of these lengths, one after the other in `bytes`, from 64 random bits.
    pub(crate) fn fill_values(&self, draw: u64, bytes: &mut [u8], lengths: impl Iterator<Item = usize>) {
        let mut generators = Generators::new(draw);
        let mut rest = bytes;
        for length in lengths {
            let (value, after) = rest.split_at_mut(length);
            let (random, constant) = value.split_at_mut(self.random_bytes(length));
            generators.fill(random, &self.endless, self.registers);
            constant.fill(CONSTANT);
            rest = after;
        }
    }
}

/// Packs the (mask, sum) of one chunk's bytes.
fn pattern_of(byte: impl Fn(usize) -> (u8, u8)) -> Pattern {
    let mut pattern = Pattern {
        mask: [0; LANES],
        sum: [0; LANES],
    };
    for at in 0..CHUNK {
        let (mask, sum) = byte(at);
        pattern.mask[at / 8] |= u64::from(mask) << (at % 8 * 8);
        pattern.sum[at / 8] |= u64::from(sum) << (at % 8 * 8);
    }
    pattern
}

/// Xorshift generators side by side (G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003,
/// the triple 13, 7, 17), which compilers turn into vector instructions.
struct Generators([u64; LANES]);

impl Generators {
    /// Starts all from 64 random bits: different products of their mix, never zero (xorshift's only fixed point).
    #[inline(always)]
    fn new(draw: u64) -> Self {
        let base = mix(draw);
        let mut lanes = [0; LANES];
        for (index, lane) in lanes.iter_mut().enumerate() {
            let product = (base ^ (index as u64 + 1).wrapping_mul(STEP)).wrapping_mul(0xD134_2543_DE82_EF95);
            *lane = (product ^ (product >> 32)) | 1;
        }
        Self(lanes)
    }

    #[inline(always)]
    fn fill(&mut self, bytes: &mut [u8], patterns: &[Pattern], registers: Registers) {
        match registers {
            #[cfg(target_arch = "x86_64")]
            #[expect(
                unsafe_code,
                reason = "the processor was asked for these instructions: see Registers"
            )]
            // SAFETY: `Registers::widest` found AVX-512F, the one feature the function needs.
            Registers::Of64Bytes => unsafe { fill_512(&mut self.0, bytes, patterns) },
            #[cfg(target_arch = "x86_64")]
            #[expect(
                unsafe_code,
                reason = "the processor was asked for these instructions: see Registers"
            )]
            // SAFETY: `Registers::widest` found AVX2, the one feature the function needs.
            Registers::Of32Bytes => unsafe { fill_256(&mut self.0, bytes, patterns) },
            Registers::Any => fill(&mut self.0, bytes, patterns),
        }
    }
}

/// Which vector registers the processor has. Only made by [`Registers::widest`] (and, in tests, narrower than that).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registers {
    #[cfg(target_arch = "x86_64")]
    Of64Bytes,
    #[cfg(target_arch = "x86_64")]
    Of32Bytes,
    Any,
}

impl Registers {
    fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                return Self::Of64Bytes;
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                return Self::Of32Bytes;
            }
        }
        Self::Any
    }
}

/// [`fill`], compiled for registers of 64 bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn fill_512(lanes: &mut [u64; LANES], bytes: &mut [u8], patterns: &[Pattern]) {
    fill(lanes, bytes, patterns);
}

/// [`fill`], compiled for registers of 32 bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_256(lanes: &mut [u64; LANES], bytes: &mut [u8], patterns: &[Pattern]) {
    fill(lanes, bytes, patterns);
}

/// Overwrites `bytes` by `(random & mask) + sum`, going round and round the patterns.
#[inline(always)]
fn fill(lanes: &mut [u64; LANES], bytes: &mut [u8], patterns: &[Pattern]) {
    let mut local = *lanes;
    let (chunks, rest) = bytes.as_chunks_mut::<CHUNK>();
    let mut next = 0;
    for chunk in chunks {
        *chunk = step(&mut local, &patterns[next]);
        next += 1;
        if next == patterns.len() {
            next = 0;
        }
    }
    if !rest.is_empty() {
        let last = step(&mut local, &patterns[next]);
        rest.copy_from_slice(&last[..rest.len()]);
    }
    *lanes = local;
}

#[inline(always)]
fn step(lanes: &mut [u64; LANES], pattern: &Pattern) -> [u8; CHUNK] {
    let mut words = [0u64; LANES];
    for lane in 0..LANES {
        let mut state = lanes[lane];
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        lanes[lane] = state;
        // No byte carries into the next: 95 + 32 fits seven bits.
        words[lane] = (state & pattern.mask[lane]).wrapping_add(pattern.sum[lane]);
    }
    let mut chunk = [0; CHUNK];
    for (bytes, word) in chunk.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_registers_give_the_same_bytes() {
        let mut maker = ValueMaker::new(0.25, Some((10, 100)));
        let mut widest = [0; 1000];
        assert!(maker.fill_record(9, &mut widest));
        let mut narrower = vec![Registers::Any];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            narrower.push(Registers::Of32Bytes);
        }
        for registers in narrower {
            maker.registers = registers;
            let mut bytes = [1; 1000];
            maker.fill_record(9, &mut bytes);
            assert_eq!(bytes, widest, "{registers:?}");
        }
    }

    #[test]
    fn every_byte_is_under_its_mask() {
        let maker = ValueMaker::new(0.0, Some((10, 100)));
        let mut bytes = [0; 1000];
        for draw in 0..200 {
            maker.fill_record(draw, &mut bytes);
            for (at, byte) in bytes.iter().enumerate() {
                assert_eq!((byte - b' ') & !MASKS[at % 100 % 6], 0);
            }
        }
    }

    #[test]
    fn compressible_values_end_in_their_constant_part() {
        for compressibility in [0.0, 0.3, 0.5, 1.0] {
            let constant = (compressibility * 100.0f64).round() as usize;
            let regular = ValueMaker::new(compressibility, Some((3, 100)));
            let mut bytes = [0; 300];
            assert!(regular.fill_record(5, &mut bytes));
            let mut free = [0; 300];
            ValueMaker::new(compressibility, None).fill_values(5, &mut free, [100, 100, 100].into_iter());
            for value in bytes.chunks(100).chain(free.chunks(100)) {
                assert!(value[100 - constant..].iter().all(|byte| *byte == CONSTANT));
                if constant <= 50 {
                    let distinct: std::collections::BTreeSet<u8> =
                        value[..100 - constant].iter().copied().collect();
                    assert!(distinct.len() > 15);
                }
            }
        }
    }
}
