//! JSON strings: escapes decoded, texts quoted, Python's extras made strict.

use std::borrow::Cow;

use super::scan::Scanner;
use super::{Dialect, Raw};

/// Why an escape is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EscapeError {
    /// Not an escape of JSON.
    Invalid,
    /// `\uD800`–`\uDFFF` without its other half; six bytes long.
    LoneSurrogate,
}

/// Reads the escape at the start of `text`, which begins with a backslash: the character and the
/// escape's length in bytes.
pub(super) fn escape(text: &str) -> Result<(char, usize), EscapeError> {
    let bytes = text.as_bytes();
    let simple = match bytes.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(bytes),
        _ => return Err(EscapeError::Invalid),
    };
    Ok((simple, 2))
}

fn unicode_escape(bytes: &[u8]) -> Result<(char, usize), EscapeError> {
    let first = hex4(bytes.get(2..6)).ok_or(EscapeError::Invalid)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, 6));
    }
    let low = match bytes.get(6..8) {
        Some(b"\\u") if first < 0xDC00 => hex4(bytes.get(8..12)),
        _ => None,
    };
    match low {
        Some(low @ 0xDC00..0xE000) => {
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00);
            char::from_u32(code)
                .map(|character| (character, 12))
                .ok_or(EscapeError::Invalid)
        }
        _ => Err(EscapeError::LoneSurrogate),
    }
}

fn hex4(bytes: Option<&[u8]>) -> Option<u32> {
    bytes?.iter().try_fold(0, |value, byte| {
        let digit = char::from(*byte).to_digit(16)?;
        Some(value << 4 | digit)
    })
}

/// The content of a string, `inner` being what stands between its quotes. Borrowed unless it
/// is `escaped`; a lone surrogate becomes U+FFFD.
#[inline]
pub(super) fn decode(inner: &str, escaped: bool) -> Cow<'_, str> {
    if escaped {
        decode_escapes(inner)
    } else {
        Cow::Borrowed(inner)
    }
}

#[inline(never)]
fn decode_escapes(inner: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', inner.as_bytes()) else {
        return Cow::Borrowed(inner);
    };
    let mut decoded = String::with_capacity(inner.len());
    let (mut plain, mut rest) = inner.split_at(first);
    loop {
        decoded.push_str(plain);
        if rest.is_empty() {
            return Cow::Owned(decoded);
        }
        let (character, length) = match escape(rest) {
            Ok(found) => found,
            Err(EscapeError::LoneSurrogate) => (char::REPLACEMENT_CHARACTER, 6),
            // Cannot be in a proved string; were it, it would stand for itself.
            Err(EscapeError::Invalid) => ('\\', 1),
        };
        decoded.push(character);
        rest = rest.get(length..).unwrap_or("");
        let next = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        (plain, rest) = rest.split_at(next);
    }
}

/// The beginning of a string's content: decoded until it has `enough` bytes, whole characters
/// and whole escapes, so that nobody pays for megabytes to see a line of them.
pub(super) fn decode_prefix(inner: &str, enough: usize) -> Cow<'_, str> {
    if inner.len() <= enough {
        return decode_escapes(inner);
    }
    let Some(first) = memchr::memchr(b'\\', inner.as_bytes()).filter(|at| *at < enough) else {
        return Cow::Borrowed(&inner[..whole_characters(inner, enough)]);
    };
    let mut decoded = String::new();
    let (mut plain, mut rest) = inner.split_at(first);
    loop {
        let room = whole_characters(plain, enough.saturating_sub(decoded.len()));
        decoded.push_str(&plain[..room]);
        if rest.is_empty() || room < plain.len() || decoded.len() >= enough {
            return Cow::Owned(decoded);
        }
        let (character, length) = escape(rest).unwrap_or((char::REPLACEMENT_CHARACTER, 6));
        decoded.push(character);
        rest = rest.get(length..).unwrap_or("");
        let next = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        (plain, rest) = rest.split_at(next);
    }
}

/// The last character boundary at or before `at`.
fn whole_characters(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Appends `text` as a JSON string, quotes and all.
///
/// # Examples
///
/// ```
/// let mut out = Vec::new();
/// lctools::json::push_str(&mut out, "a \"b\"\n☃");
/// assert_eq!(out, "\"a \\\"b\\\"\\n☃\"".as_bytes());
/// ```
pub fn push_str(out: &mut Vec<u8>, text: &str) {
    // Writing into memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// A value of Python's dialect as strict JSON: `NaN` and the infinities become `null`, a lone
/// surrogate `\ufffd`. Borrowed when it was strict already.
///
/// # Examples
///
/// ```
/// use lctools::json::{Dialect, Object, strict};
/// let mut line = Object::open(r#"{"args":{"score":NaN,"t":"\ud83d "}}"#, Dialect::Python).unwrap();
/// let args = line.member().unwrap().unwrap().value;
/// assert_eq!(strict(args), r#"{"score":null,"t":"\ufffd "}"#);
/// ```
#[must_use]
pub fn strict(value: Raw<'_>) -> Cow<'_, str> {
    let text = value.text();
    if Scanner::new(text, Dialect::Strict).value(0).is_ok() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    while let Some(next) = rest.find(['"', '\\', 'N', 'I', '-']) {
        let length = match (&rest[next..next + 1], in_string) {
            ("\"", _) => {
                in_string = !in_string;
                next + 1
            }
            ("\\", _) => {
                let escaped = escape(&rest[next..]);
                if escaped == Err(EscapeError::LoneSurrogate) {
                    out.push_str(&rest[..next]);
                    out.push_str("\\ufffd");
                    rest = &rest[next + 6..];
                    continue;
                }
                next + escaped.map_or(1, |(_, length)| length)
            }
            (_, false) => {
                let word = ["NaN", "-Infinity", "Infinity"]
                    .into_iter()
                    .find(|word| rest[next..].starts_with(word));
                if let Some(word) = word {
                    out.push_str(&rest[..next]);
                    out.push_str("null");
                    rest = &rest[next + word.len()..];
                    continue;
                }
                next + 1
            }
            (_, true) => next + 1,
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A value without the white space between its tokens, so that it can be written as part of a
/// compact line. Borrowed when there is none.
///
/// # Examples
///
/// ```
/// use lctools::json::{Raw, compact};
/// let value = Raw::parse("{ \"a b\": [1.0,\t\"\\\" \"] }").unwrap();
/// assert_eq!(compact(value), r#"{"a b":[1.0,"\" "]}"#);
/// ```
#[must_use]
pub fn compact(value: Raw<'_>) -> Cow<'_, str> {
    let text = value.text();
    let white = |character| matches!(character, ' ' | '\t' | '\n' | '\r');
    if !text.contains(white) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in text.chars() {
        if !in_string && white(character) {
            continue;
        }
        out.push(character);
        in_string ^= character == '"' && !escaped;
        escaped = in_string && character == '\\' && !escaped;
    }
    Cow::Owned(out)
}
