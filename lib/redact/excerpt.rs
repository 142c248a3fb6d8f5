//! Short pieces of a text or a line, for people to look at.

use std::borrow::Cow;

use super::redact_text;

/// A longer text is redacted only as far as this: nobody pays for 16 MiB to see 200 bytes.
const WINDOW: usize = 64 * 1024;

/// So much is dropped from the end of a window. A secret that the window cuts may not be known
/// as one; what is left of it is here.
const EDGE: usize = 1024;

/// A one-line piece of a text: redacted, then cut to `max_chars` characters (Unicode scalar
/// values), a final `…` among them when something was cut.
///
/// White space, control characters and marks that change the writing direction are folded: each
/// row of them becomes one space, none is left at either end (SPEC sections 2 and 8).
///
/// # Examples
///
/// ```
/// use lctools::redact::excerpt;
///
/// assert_eq!(excerpt("line one\n  line two", 100), "line one line two");
/// assert_eq!(excerpt("password=hunter2 and more", 21), "password=[REDACTED] …");
/// ```
#[must_use]
pub fn excerpt(text: &str, max_chars: usize) -> String {
    let redacted = redact_window(text, max_chars.saturating_mul(4));
    // What a cut could hide from a judgement lies beyond what is shown.
    let looked_at = max_chars.saturating_add(EDGE);
    let mut line = String::with_capacity(redacted.len().min(looked_at.saturating_mul(4)));
    line.extend(folded(&redacted).take(looked_at));
    // Folding brings a key and the value on the next line together: what is seen so is judged so.
    if line != *redacted
        && let Cow::Owned(hidden) = redact_text(&line)
    {
        line = hidden;
    }
    cut(&mut line, max_chars);
    line
}

/// A piece of an input line for a finding: redacted, then cut to at most `max_bytes` bytes of
/// UTF-8, a final `…` among them when something was cut.
///
/// Invalid UTF-8 becomes U+FFFD. Control characters and marks that change the writing direction
/// are escaped as in JSON (`\n`, `\t`, `\u001b`); an escape is kept whole or left out
/// (SPEC section 2). Of a long line only the beginning is read.
///
/// # Examples
///
/// ```
/// use lctools::redact::excerpt_bytes;
///
/// let line = b"{\"token\":\"abc\", \x1b[1m";
/// assert_eq!(excerpt_bytes(line, 200), r#"{"token":"[REDACTED]", \u001b[1m"#);
/// assert_eq!(excerpt_bytes(b"0123456789", 8), "01234…");
/// ```
#[must_use]
pub fn excerpt_bytes(line: &[u8], max_bytes: usize) -> String {
    let window = window_size(max_bytes);
    // Half a character at the end of the slice is dropped with the edge.
    let text = String::from_utf8_lossy(&line[..line.len().min(window.saturating_add(4))]);
    let redacted = redact_window(&text, max_bytes);
    let mut out = String::new();
    let mut last_fit = 0;
    let mut buffer = String::new();
    for letter in redacted.chars() {
        buffer.clear();
        push_escaped(&mut buffer, letter);
        if out.len() + buffer.len() > max_bytes {
            if max_bytes >= '…'.len_utf8() {
                out.truncate(last_fit);
                out.push('…');
            }
            return out;
        }
        out.push_str(&buffer);
        if out.len() + '…'.len_utf8() <= max_bytes {
            last_fit = out.len();
        }
    }
    out
}

fn window_size(shown: usize) -> usize {
    WINDOW.max(shown.saturating_mul(2).saturating_add(EDGE))
}

/// Cuts a text to so many characters, a final `…` among them when something was cut.
fn cut(text: &mut String, max_chars: usize) {
    let mut places = text.char_indices().map(|(at, _)| at);
    let Some(last) = places.by_ref().take(max_chars).last() else {
        text.clear();
        return;
    };
    if places.next().is_some() {
        text.truncate(last);
        text.push('…');
    }
}

/// The redacted beginning of a text, long enough to show so many bytes of it.
fn redact_window(text: &str, shown: usize) -> Cow<'_, str> {
    let window = char_boundary(text, window_size(shown));
    let redacted = redact_text(&text[..window]);
    if window == text.len() {
        return redacted;
    }
    let mut redacted = redacted.into_owned();
    let edge = redacted.len().saturating_sub(EDGE);
    redacted.truncate(char_boundary(&redacted, edge));
    redacted.push('…');
    Cow::Owned(redacted)
}

/// The last place up to `at` where a character begins or the text ends.
fn char_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The characters with rows of white space and control characters folded.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let mut letters = text.trim_matches(is_folded).chars().peekable();
    std::iter::from_fn(move || {
        let letter = letters.next()?;
        if !is_folded(letter) {
            return Some(letter);
        }
        while letters.next_if(|letter| is_folded(*letter)).is_some() {}
        Some(' ')
    })
}

fn is_folded(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || turns_direction(letter)
}

/// Marks with which a text can make a terminal show something else than it says.
fn turns_direction(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push_escaped(out: &mut String, letter: char) {
    match letter {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{2028}' | '\u{2029}' => push_unicode(out, letter),
        _ if letter.is_control() || turns_direction(letter) => push_unicode(out, letter),
        _ => out.push(letter),
    }
}

fn push_unicode(out: &mut String, letter: char) {
    out.push_str(&format!("\\u{:04x}", u32::from(letter)));
}
