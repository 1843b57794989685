//! The friendly level, printed.

/// One line of the friendly level, if it assembles back to exactly these words.
pub fn friendly(_words: &[u32; 6]) -> Option<String> {
    None
}
