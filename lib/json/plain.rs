//! Where a string stops being plain: eight bytes at a time.

/// How many bytes from the start are plain string content: no quote, backslash or control
/// character. Eight at a time; the arithmetic is exact for "is there any", and the byte loop at
/// the end finds which.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, _) = bytes.as_chunks::<8>();
    let mut length = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let special = control | zero(word ^ (ONES * 0x22)) | zero(word ^ (ONES * 0x5C));
        if special != 0 {
            // The lowest flagged byte is never a false alarm: borrows only spread upwards.
            return length + special.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = &bytes[length..];
    length
        + rest
            .iter()
            .position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'))
            .unwrap_or(rest.len())
}
