//! Classes of bytes in tokens: a table of 256 entries.

pub(super) const WORD: u8 = 1;

pub(super) const LOWER: u8 = 2;

pub(super) const UPPER: u8 = 4;

pub(super) const DIGIT: u8 = 8;

pub(super) const BLANK: u8 = 16;

pub(super) const DASH: u8 = 32;

pub(super) static CLASS: [u8; 256] = classes();

pub(super) const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'_' => WORD | LOWER,
            b'A'..=b'Z' => WORD | UPPER,
            b'0'..=b'9' => WORD | DIGIT,
            b' ' | b'\t' | b'\r' => BLANK,
            b'-' => DASH,
            _ => 0,
        };
        byte += 1;
    }
    table
}

pub(super) fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}
