//! `Bearer …` and `Basic …`: told from plain words by what follows.

use std::ops::Range;

use super::shapes::{begins, run};

/// The alphabet of credentials in headers (token68 of RFC 9110).
fn is_credential(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}

/// The credential after the `Bearer` or `Basic` that ends here, if it is one and not a word.
pub(super) fn credential(
    bytes: &[u8],
    word: Range<usize>,
    plausible: fn(&[u8], bool) -> bool,
) -> Option<Range<usize>> {
    if !begins(bytes, word.start) {
        return None;
    }
    let rest = &bytes[word.end..];
    let blanks = match rest.strip_prefix(b"%20") {
        Some(_) => 3,
        None => rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count(),
    };
    let start = word.end + blanks;
    let end = run(bytes, start, is_credential);
    let fills = fills(bytes, word.start, end);
    let end = end
        - bytes[start..end]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'.')
            .count();
    // A challenge has parameters there: Bearer realm="x".
    let parameter = bytes[..end].ends_with(b"=") && bytes.get(end) == Some(&b'"');
    let found = blanks > 0 && end > start && !parameter && plausible(&bytes[start..end], fills);
    found.then_some(start..end)
}

/// Whether this range is a whole string or a whole value: quotes, a sign or nothing around it.
fn fills(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = &bytes[..start];
    let before = match before {
        [.., b':' | b'=', b' '] => &before[..start - 1],
        _ => before,
    };
    before.last().is_none_or(|byte| b"\"'`:=".contains(byte))
        && bytes
            .get(end)
            .is_none_or(|byte| b"\"'`\\\r\n".contains(byte))
}

/// After `Bearer`. Words stay (`bearer of news`, `Bearer authentication`); a short row of letters
/// is taken for a credential only if it and the scheme fill a whole string.
pub(super) fn is_bearer(credential: &[u8], fills: bool) -> bool {
    const WORDS: [&[u8]; 6] = [
        b"token",
        b"tokens",
        b"auth",
        b"authentication",
        b"authorization",
        b"scheme",
    ];
    let is_word = WORDS
        .iter()
        .any(|word| word.eq_ignore_ascii_case(credential));
    credential.len() >= 20 || has_mixture(credential) || (fills && !is_word)
}

/// After `Basic`: what decodes to `user:password`, or can be no word.
pub(super) fn is_basic(credential: &[u8], _fills: bool) -> bool {
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'+' || *byte == b'=';
    let long = credential.len() >= 10 && credential.iter().all(base64);
    credential.len() >= 24
        || credential.ends_with(b"=")
        || (long && credential.iter().any(u8::is_ascii_digit))
        || holds_user_and_password(credential)
}

/// Digits, capitals inside, or signs that no English word has.
fn has_mixture(credential: &[u8]) -> bool {
    let inner = credential.get(1..).unwrap_or_default();
    let letters = || credential.iter().filter(|byte| byte.is_ascii_alphabetic());
    let all_capitals = letters().all(u8::is_ascii_uppercase);
    credential
        .iter()
        .any(|byte| byte.is_ascii_digit() || b"_~+.".contains(byte))
        || (inner.iter().any(u8::is_ascii_uppercase) && !all_capitals)
}

/// Whether this is base64 of printable text with a colon in it.
fn holds_user_and_password(credential: &[u8]) -> bool {
    let mut colon = false;
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in credential.iter().take_while(|byte| **byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        (bits, held) = ((bits << 6 | u32::from(value)) & 0xFFFF, held + 6);
        if held >= 8 {
            held -= 8;
            let decoded = (bits >> held) & 0xFF;
            if !(0x20..0x7F).contains(&decoded) {
                return false;
            }
            colon |= decoded == u32::from(b':');
        }
    }
    colon
}
