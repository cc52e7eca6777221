//! Mutates bytes: flips bits, and inserts, deletes, repeats and splices ranges,
//! extreme numbers, incomplete characters and keywords of the format.

use super::random::Random;

/// Maximum length of mutated bytes. Repeats would grow without limit.
const MAX_BYTES: usize = 16 << 10;
/// Maximum repeats of a range.
const MAX_REPEATS: usize = 300;
/// Maximum mutations per input.
const MAX_MUTATIONS: usize = 6;

/// Numbers at the limits of integer types.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "2147483648",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999999",
    "1e999",
    "0x7fffffff",
    "00000000000000000000000000000001",
];

/// Characters that break parsers: multi-byte, invisible, right to left,
/// changing length with case, and bytes that are not UTF-8.
const CHARACTERS: [&[u8]; 14] = [
    "é".as_bytes(),
    "木".as_bytes(),
    "🌳".as_bytes(),
    "\u{0}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{301}".as_bytes(),
    "İ".as_bytes(),
    "ẞ".as_bytes(),
    "\u{2028}".as_bytes(),
    b"\xff",
    b"\xc3",
    b"\xe6\x9c",
    b"\xf0\x9f\x8c",
];

/// Mutates a sample: a valid input to start from. `others` are samples to splice with,
/// `keywords` are those of the format.
pub fn mutate(random: &mut Random, sample: &[u8], others: &[&[u8]], keywords: &[&str]) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..=random.below(MAX_MUTATIONS) {
        mutate_once(random, &mut bytes, others, keywords);
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

/// Applies one random mutation.
fn mutate_once(random: &mut Random, bytes: &mut Vec<u8>, others: &[&[u8]], keywords: &[&str]) {
    match random.below(10) {
        0 => flip_byte(random, bytes),
        1 => delete_range(random, bytes),
        2 => repeat_range(random, bytes),
        3 => splice_sample(random, bytes, others),
        4 => insert_number(random, bytes),
        5 => {
            let end = random.below(bytes.len() + 1);
            bytes.truncate(end);
        }
        6 => {
            let byte = random.bits().to_le_bytes();
            insert_piece(random, bytes, &byte[..1]);
        }
        7 => {
            let character = random.pick(&CHARACTERS);
            insert_piece(random, bytes, character);
        }
        _ => {
            let word = random.pick(keywords);
            insert_piece(random, bytes, word.as_bytes());
        }
    }
}

/// Returns a random range of bytes. Short ranges are more frequent.
fn random_range(random: &mut Random, length: usize) -> std::ops::Range<usize> {
    let start = random.below(length + 1);
    let available = length - start;
    let max_length = if random.one_in(2) { available.min(8) } else { available };
    start..start + random.below(max_length + 1)
}

/// Flips a random bit.
fn flip_byte(random: &mut Random, bytes: &mut [u8]) {
    let at = random.below(bytes.len());
    let bit = random.below(8);
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

/// Deletes a random range.
fn delete_range(random: &mut Random, bytes: &mut Vec<u8>) {
    let range = random_range(random, bytes.len());
    bytes.drain(range);
}

/// Inserts bytes at a random position.
fn insert_piece(random: &mut Random, bytes: &mut Vec<u8>, inserted: &[u8]) {
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, inserted.iter().copied());
}

/// Repeats a random range.
fn repeat_range(random: &mut Random, bytes: &mut Vec<u8>) {
    let range = random_range(random, bytes.len());
    let max_times = (MAX_BYTES / range.len().max(1)).clamp(1, MAX_REPEATS);
    let times = random.below(max_times);
    let inserted = bytes[range.clone()].repeat(times);
    bytes.splice(range.end..range.end, inserted);
}

/// Replaces a random range by a range of another sample.
fn splice_sample(random: &mut Random, bytes: &mut Vec<u8>, others: &[&[u8]]) {
    let other = random.pick(others);
    let (from, into) = (random_range(random, other.len()), random_range(random, bytes.len()));
    bytes.splice(into, other[from].iter().copied());
}

/// Replaces a number by an extreme one, or inserts one.
fn insert_number(random: &mut Random, bytes: &mut Vec<u8>) {
    let number = random.pick(&NUMBERS).as_bytes();
    let start = random.below(bytes.len());
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(first) = bytes.iter().skip(start).position(is_digit).map(|at| start + at) else {
        return insert_piece(random, bytes, number);
    };
    let length = bytes.iter().skip(first).take_while(|byte| is_digit(byte)).count();
    bytes.splice(first..first + length, number.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutate_same_item_gives_same_bytes_within_limit() {
        for item in 0..2_000 {
            let mutated = || {
                let mut random = Random::of_item(7, 0, item);
                mutate(&mut random, b"seed 12 text", &[b"other"], &["word"])
            };
            assert_eq!(mutated(), mutated());
            assert!(mutated().len() <= MAX_BYTES);
        }
    }

    #[test]
    fn mutate_empty_sample_without_words_works() {
        for item in 0..200 {
            mutate(&mut Random::of_item(1, 1, item), b"", &[], &[]);
        }
    }
}
