//! Changes to files that every reader must survive.
#![allow(dead_code)]

use ctm::random::Random;

/// The number of cases of a test: `few`, or 20,000 with `CTM_FULL=1`.
pub fn cases(few: u64) -> u64 {
    let full = std::env::var_os("CTM_FULL").is_some_and(|value| value == "1");
    if full { 20_000 } else { few }
}

/// Changes up to three places, and sometimes the length.
pub fn spoil(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..random.below(4) {
        let n = random.below(bytes.len() as u32) as usize;
        match random.below(5) {
            _ if bytes.is_empty() => bytes.push(random.bits() as u8),
            0 => bytes[n] ^= 1 << random.below(8),
            1 => bytes[n] = random.bits() as u8,
            2 => bytes.insert(n, random.bits() as u8),
            3 => drop(bytes.remove(n)),
            // Sizes and offsets are words.
            _ => {
                let n = n & !3;
                let value = random.below(4096);
                let value = random.pick(&[0, 1, u32::MAX, 0x7fff_ffff, value]);
                let value = random.pick(&[value.to_le_bytes(), value.to_be_bytes()]);
                if let Some(word) = bytes.get_mut(n..n + 4) {
                    word.copy_from_slice(&value);
                }
            }
        }
    }
    if random.below(8) == 0 {
        bytes.truncate(1 + random.below(bytes.len() as u32) as usize);
    }
}
