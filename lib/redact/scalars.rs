//! The scalars of JSON: what a number is and what a string says.

use std::borrow::Cow;

/// The length of the number that begins here, by the grammar of RFC 8259.
pub(super) fn number(bytes: &[u8]) -> Option<usize> {
    let digits = |at: usize| {
        bytes
            .iter()
            .skip(at)
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut at = match (bytes.get(start), digits(start)) {
        (Some(b'0'), _) => start + 1,
        (_, 0) => return None,
        (_, count) => start + count,
    };
    if bytes.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        at = (count > 0).then_some(at + 1 + count)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let count = digits(at + 1 + sign);
        at = (count > 0).then_some(at + 1 + sign + count)?;
    }
    Some(at)
}

/// What the inside of a JSON string says. A surrogate without its other half becomes U+FFFD, an
/// unknown escape stands for itself.
pub(super) fn decode(raw: &str) -> Cow<'_, str> {
    let Some(mut slash) = raw.find('\\') else {
        return Cow::Borrowed(raw);
    };
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    loop {
        out.push_str(&rest[..slash]);
        let (letter, length) = escape(&rest[slash..]);
        out.push(letter);
        rest = &rest[slash + length..];
        match rest.find('\\') {
            Some(next) => slash = next,
            None => break,
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character that the escape at the start of this text stands for, and its length.
fn escape(text: &str) -> (char, usize) {
    let letter = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(same @ (b'"' | b'\\' | b'/')) => char::from(*same),
        Some(b'u') => {
            let Some(unit) = code_unit(text) else {
                return ('\\', 1);
            };
            let low = text.get(6..).and_then(code_unit);
            let pair = char::decode_utf16([unit].into_iter().chain(low)).next();
            return match pair {
                Some(Ok(letter)) => (letter, if letter.len_utf16() == 2 { 12 } else { 6 }),
                _ => (char::REPLACEMENT_CHARACTER, 6),
            };
        }
        _ => return ('\\', 1),
    };
    (letter, 2)
}

fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}
