//! How far a value reaches in free text: quoted, bracketed, bare, or to the end of its line.
//!
//! Every function walks forward from where the value begins and looks at each byte a bounded
//! number of times. What is opened and never closed runs to the end: a text may have been cut.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3, memmem, memrchr};

use super::MARKER;

/// More backslashes than this before a quote are no quoting: seven levels of JSON in JSON.
const MAX_ESCAPES: usize = 127;

/// A quotation mark and how many backslashes stand before it: `"`, `\"`, `\\\"`.
#[derive(Clone, Copy)]
pub(super) struct Quote {
    pub(super) escapes: usize,
    pub(super) mark: u8,
}

impl Quote {
    /// The quote that begins here, backslashes first.
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Quote> {
        let rest = bytes.get(at..)?;
        let escapes = rest
            .iter()
            .take(MAX_ESCAPES + 1)
            .take_while(|byte| **byte == b'\\')
            .count();
        let mark = *rest.get(escapes)?;
        (is_quote(mark) && escapes <= MAX_ESCAPES).then_some(Quote { escapes, mark })
    }

    /// The quote that ends right before this place.
    pub(super) fn before(bytes: &[u8], at: usize) -> Option<Quote> {
        let (mark, front) = bytes.get(..at)?.split_last()?;
        let escapes = front
            .iter()
            .rev()
            .take(MAX_ESCAPES + 1)
            .take_while(|b| **b == b'\\')
            .count();
        (is_quote(*mark) && escapes <= MAX_ESCAPES).then_some(Quote {
            escapes,
            mark: *mark,
        })
    }

    pub(super) fn len(self) -> usize {
        self.escapes + 1
    }

    /// Where the quoted text that begins at `from` ends; or where that was given up, with the
    /// line or with the text. Only double quotes may span lines: an apostrophe is too common to
    /// look for its fellow far away.
    ///
    /// At the quoting depth of `n` backslashes a further level adds `n + 1` of them, so a mark
    /// closes if a multiple of `2(n + 1)` is left beside its own. Fewer than `n`: the string
    /// around this one ends here.
    fn close(self, bytes: &[u8], from: usize, one_line: bool) -> Result<usize, usize> {
        let mut at = from;
        loop {
            let rest = &bytes[at..];
            let mark = if one_line || self.mark != b'"' {
                memchr3(self.mark, b'\n', b'\r', rest)
            } else {
                memchr(self.mark, rest)
            };
            let mark = at + mark.ok_or(bytes.len())?;
            if bytes[mark] != self.mark {
                return Err(mark);
            }
            let escapes = bytes[at..mark]
                .iter()
                .rev()
                .take_while(|byte| **byte == b'\\')
                .count();
            if escapes <= self.escapes {
                return Ok(mark - escapes);
            }
            if (escapes - self.escapes).is_multiple_of(2 * (self.escapes + 1)) {
                return Ok(mark - self.escapes);
            }
            at = mark + 1;
        }
    }
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The inside of the quoted value that begins here.
pub(super) fn quoted(bytes: &[u8], at: usize, quote: Quote) -> Range<usize> {
    let start = at + quote.len();
    let triple = [quote.mark; 3];
    if quote.escapes == 0 && bytes[at..].starts_with(&triple) {
        let start = at + triple.len();
        let length = memmem::find(&bytes[start..], &triple);
        return start..length.map_or(bytes.len(), |length| start + length);
    }
    let mut end = quote.close(bytes, start, false);
    // Strings that touch are one: it''s in YAML and SQL, it'\''s in a shell.
    while let Ok(Some(next)) = end.map(|end| continued(bytes, end, quote)) {
        match quote.close(bytes, next, false) {
            Ok(closed) => end = Ok(closed),
            Err(_) => break,
        }
    }
    start..end.unwrap_or_else(|given_up| given_up)
}

/// Where a string goes on whose quote closes here, if the next one touches it.
fn continued(bytes: &[u8], end: usize, quote: Quote) -> Option<usize> {
    let rest = bytes.get(end..)?.strip_prefix(&[quote.mark])?;
    let touching: [&[u8]; 2] = [&[quote.mark], b"\\''"];
    let touching = touching
        .iter()
        .find(|touching| rest.starts_with(touching))?;
    (quote.escapes == 0).then_some(end + 1 + touching.len())
}

/// Where the object or array that begins here ends, strings inside it skipped. A parenthesis
/// ends with its line, closed or not.
pub(super) fn bracketed(bytes: &[u8], at: usize) -> usize {
    let one_line = bytes[at] == b'(';
    let mut depth = 0_usize;
    let mut at = at;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' if depth <= 1 => return at + 1,
            b'}' | b']' | b')' => depth -= 1,
            b'\n' | b'\r' if one_line => return at,
            b'"' | b'\'' => {
                if let Some(quote) = Quote::before(bytes, at + 1)
                    && let Ok(end) = quote.close(bytes, at + 1, one_line)
                {
                    at = end + quote.len();
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Where the bare value that begins here ends: at white space, or at a mark that belongs to the
/// text around it. `query`: it is a parameter of an address, `&` and `#` end it.
pub(super) fn bare(bytes: &[u8], at: usize, query: bool) -> usize {
    let mut open = 0_usize;
    let mut at = at;
    while let Some(&byte) = bytes.get(at) {
        if bytes[at..].starts_with(MARKER.as_bytes()) {
            at += MARKER.len();
            continue;
        }
        let ends = match byte {
            b'\\' => {
                let escapes = bytes[at..]
                    .iter()
                    .take_while(|byte| **byte == b'\\')
                    .count();
                let mark = at + escapes;
                if bytes.get(mark).is_some_and(|byte| is_quote(*byte)) && closes(bytes, mark + 1) {
                    return at;
                }
                let escaped_blank = escapes % 2 == 1 && bytes.get(mark) == Some(&b' ');
                at = mark + usize::from(escaped_blank);
                continue;
            }
            b'&' if query => true,
            b'#' => query,
            b',' | b';' | b'&' => ends_item(bytes, at + 1),
            b'"' | b'\'' | b'`' => closes(bytes, at + 1),
            b')' => closes(bytes, at + 1),
            b']' | b'}' => open == 0 && closes(bytes, at + 1),
            b'<' => bytes.get(at + 1) == Some(&b'/'),
            _ => byte.is_ascii_whitespace(),
        };
        if ends {
            return at;
        }
        match byte {
            b'(' => {
                at = bracketed(bytes, at);
                continue;
            }
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    at
}

/// Where a header's value ends: with its line, or with the quotes around the whole header. An
/// escaped line break (`\n`) ends it too: the text may be the inside of a string.
pub(super) fn header(bytes: &[u8], at: usize, around: Option<Quote>) -> usize {
    let until = match around {
        Some(quote) => quote
            .close(bytes, at, true)
            .unwrap_or_else(|given_up| given_up),
        None => end_of_line(bytes, at),
    };
    let mut from = at;
    while let Some(offset) = memchr(b'\\', &bytes[from..until]) {
        let slash = from + offset;
        if matches!(bytes.get(slash + 1), Some(b'n' | b'r')) {
            return slash;
        }
        from = slash + 1;
    }
    until
}

/// The lines of a YAML block (`|`, `>`) that begins here, if one does: all that follow and are
/// indented deeper than the line of the key, which is at `key`.
pub(super) fn block(bytes: &[u8], key: usize, at: usize) -> Option<usize> {
    if !matches!(bytes.get(at), Some(b'|' | b'>')) {
        return None;
    }
    let plain = |byte: &&u8| matches!(byte, b'+' | b'-' | b' ' | b'0'..=b'9');
    let head = at + 1 + bytes[at + 1..].iter().take_while(plain).count();
    if !matches!(bytes.get(head), Some(b'\n' | b'\r')) {
        return None;
    }
    let line = memrchr(b'\n', &bytes[..key]).map_or(0, |newline| newline + 1);
    let indent = indent(&bytes[line..key]);
    let (mut end, mut at) = (head, head);
    while let Some(newline) = memchr(b'\n', &bytes[at..]) {
        let start = at + newline + 1;
        at = end_of_line(bytes, start);
        if bytes[start..at].iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if self::indent(&bytes[start..at]) <= indent {
            break;
        }
        end = at;
    }
    Some(end)
}

fn indent(line: &[u8]) -> usize {
    line.iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |offset| at + offset)
}

/// Where the next opening tag or closing tag begins, on this line.
pub(super) fn next_tag(bytes: &[u8], at: usize) -> Option<usize> {
    let offset = memchr3(b'<', b'\n', b'\r', &bytes[at..])?;
    (bytes[at + offset] == b'<').then_some(at + offset)
}

/// Whether what stands here shows that the mark before it closed something.
pub(super) fn closes(bytes: &[u8], at: usize) -> bool {
    is_border(bytes, at)
        || bytes
            .get(at)
            .is_some_and(|byte| is_quote(*byte) || b",;:.)]}>|&\\".contains(byte))
}

fn is_border(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(u8::is_ascii_whitespace)
}

/// Whether a comma before this place ended one item of a list.
fn ends_item(bytes: &[u8], at: usize) -> bool {
    is_border(bytes, at) || Quote::at(bytes, at).is_some() || pair_at(bytes, at)
}

/// Whether a `name=` or `name:` begins here.
fn pair_at(bytes: &[u8], at: usize) -> bool {
    let name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.[]".contains(byte);
    let length = bytes[at..].iter().take(64).take_while(name).count();
    length > 0 && matches!(bytes.get(at + length), Some(b'=' | b':'))
}
