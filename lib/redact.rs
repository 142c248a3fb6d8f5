//! Redaction of secrets (SPEC section 8). Placeholder until the module lands.

/// Excerpt of a line.
#[must_use]
pub fn excerpt_bytes(line: &[u8], max_bytes: usize) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(max_bytes)]);
    text.replace('\u{1b}', "\\u001b")
}
