//! `key=value` and its relatives in free text: headers, assignments, dictionaries, YAML, query
//! parameters, command-line options, XML elements.
//!
//! A trigger word gives the place; the whole name around it is read, judged by its words, and
//! only then is a separator and a value looked for.

use std::ops::Range;

use super::keys::last_word_is;
use super::names::Key;
use super::signs::{self, OpenQuotes, Separator};
use super::values::{self, Quote};

/// What follows an option that is only talked about.
const PROSE: [&str; 20] = [
    "a",
    "and",
    "argument",
    "as",
    "can",
    "flag",
    "for",
    "from",
    "if",
    "in",
    "instead",
    "is",
    "on",
    "option",
    "or",
    "parameter",
    "the",
    "to",
    "when",
    "with",
];

/// Words that stand before a credential in a value: `Bearer abc`.
const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "digest", "apikey"];

/// Schemes whose credential is a list of parameters, to the end of the header.
const LIST_SCHEMES: [&str; 5] = ["digest", "oauth", "hawk", "signature", "aws4-hmac-sha256"];

/// The search for pairs, from left to right.
pub(super) struct Pairs<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// Everything before this place has been read as a key or a value.
    from: usize,
    quotes: OpenQuotes,
}

impl<'t> Pairs<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Pairs {
            text,
            bytes: text.as_bytes(),
            from: 0,
            quotes: OpenQuotes::default(),
        }
    }

    /// Hides the secret value whose key contains the trigger at this place.
    pub(super) fn look(&mut self, at: usize, mut hide: impl FnMut(Range<usize>)) {
        if at < self.from {
            return;
        }
        let key = Key::around(self.text, self.from, at);
        self.from = key.range.end;
        if !key.is_secret() {
            return;
        }
        let Some((separator, at)) = self.separator(&key) else {
            return;
        };
        let Some(value) = self.value(&key, separator, at) else {
            return;
        };
        self.from = value.end;
        // A parameter named just `key` is a credential only if it looks like one.
        if key.query && key.name.eq_ignore_ascii_case("key") && value.len() < 16 {
            return;
        }
        let typed = if separator == Separator::Colon {
            value.end
        } else {
            self.bytes.len()
        };
        hide(value);
        if let Some(at) = signs::assigned(self.bytes, typed)
            && let Some(value) = self.value(&key, Separator::Equals, at)
        {
            self.from = value.end;
            hide(value);
        }
        if let Some((at, quote)) = signs::fallback(self.bytes, self.from) {
            let value = values::quoted(self.bytes, at, quote);
            self.from = value.end;
            hide(value);
        }
    }

    /// What separates the key from a value, and the place after it.
    fn separator(&self, key: &Key<'_>) -> Option<(Separator, usize)> {
        let bytes = self.bytes;
        let mut at = key.range.end + key.closed.map_or(0, Quote::len);
        if key.before().ends_with(b"<") && bytes[at..].starts_with(b">") {
            return Some((Separator::Tag, at + 1));
        }
        let indexed = key.closed.is_some() || key.before().ends_with(b"[");
        if indexed && bytes.get(at) == Some(&b']') {
            at += 1;
        }
        let name_end = at;
        at = signs::skip_is(bytes, signs::skip_decoration(bytes, at));
        if let Some(found) = signs::sign(bytes, at) {
            return Some(found);
        }
        if key.closed.is_some() && bytes.get(at) == Some(&b',') && self.takes_next(key) {
            return Some((Separator::Comma, at + 1));
        }
        (at > name_end && key.is_option()).then_some((Separator::Space, at))
    }

    /// `("password", …)` and `"--password", …`: the next string belongs to this one.
    fn takes_next(&self, key: &Key<'_>) -> bool {
        let quote = key.opened.map_or(0, Quote::len);
        key.name.starts_with("--") || self.bytes[..key.range.start - quote].ends_with(b"(")
    }

    fn value(&mut self, key: &Key<'_>, separator: Separator, at: usize) -> Option<Range<usize>> {
        let bytes = self.bytes;
        let mut at = signs::skip_to_value(bytes, at);
        if key.closed.is_some() {
            at = signs::skip_lines(bytes, at);
        }
        let first = *bytes
            .get(at)
            .filter(|byte| !matches!(byte, b'\n' | b'\r'))?;
        if separator == Separator::Tag {
            let end = values::next_tag(bytes, at)?;
            let closing = bytes[end..].strip_prefix(b"</")?;
            return closing.starts_with(key.name.as_bytes()).then_some(at..end);
        }
        if let Some((at, quote)) = signs::opening(bytes, at) {
            return (!self.ends_outer(key, at, quote)).then(|| values::quoted(bytes, at, quote));
        }
        if separator == Separator::Comma || (separator == Separator::Space && self.is_prose(at)) {
            return None;
        }
        let around = if key.closed.is_none() {
            key.opened
        } else {
            None
        };
        if separator == Separator::Colon {
            let to_the_end = last_word_is(key.name, &["cookie", "passphrase"]);
            let end = if to_the_end {
                Some(values::header(bytes, at, around))
            } else {
                None
            };
            if let Some(end) = end.or_else(|| values::block(bytes, key.range.start, at)) {
                return Some(at..end);
            }
        }
        let end = match first {
            _ if bytes[at..].starts_with(super::MARKER.as_bytes()) => self.words(key, at, around),
            b'{' | b'[' => values::bracketed(bytes, at),
            b'(' if Quote::at(bytes, at + 1).is_some() => values::bracketed(bytes, at),
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{')) => values::bracketed(bytes, at),
            _ => self.words(key, at, around),
        };
        Some(at..end)
    }

    /// A bare value: one word, or a scheme and its credential, or a list of cookies.
    fn words(&self, key: &Key<'_>, at: usize, around: Option<Quote>) -> usize {
        let bytes = self.bytes;
        let end = values::bare(bytes, at, key.query);
        if key.query {
            return end;
        }
        let first = &self.text[at..end];
        let any_of = |list: &[&str]| list.iter().any(|entry| entry.eq_ignore_ascii_case(first));
        let is_header = last_word_is(key.name, &["authorization"]);
        if is_header && (around.is_some() || any_of(&LIST_SCHEMES)) {
            return values::header(bytes, at, around);
        }
        if last_word_is(key.name, &["cookie", "cookies"]) {
            return self.list(end);
        }
        let scheme = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if any_of(&SCHEMES) || (is_header && first.len() <= 20 && first.bytes().all(scheme)) {
            let next = signs::skip_blanks(bytes, end);
            if next > end
                && bytes
                    .get(next)
                    .is_some_and(|byte| !byte.is_ascii_whitespace())
            {
                return values::bare(bytes, next, false);
            }
        }
        end
    }

    /// `a=b; c=d`: on and on while another pair follows a semicolon.
    fn list(&self, mut end: usize) -> usize {
        while self.bytes.get(end) == Some(&b';') {
            let next = signs::skip_blanks(self.bytes, end + 1);
            let item = values::bare(self.bytes, next, false);
            if item == next || !self.bytes[next..item].contains(&b'=') {
                break;
            }
            end = item;
        }
        end
    }

    /// Whether the quote at the value's place closes the text around the key, as in
    /// `input("Password: ")`, instead of opening a value.
    fn ends_outer(&mut self, key: &Key<'_>, at: usize, quote: Quote) -> bool {
        if key.closed.is_some() {
            return false;
        }
        let after = at + quote.len();
        match self.bytes.get(after) {
            None | Some(b'\n' | b'\r' | b')' | b',' | b';' | b']' | b'}') => true,
            Some(b' ' | b'\t') => self.quotes.open(self.bytes, key.range.start, quote.mark),
            _ => false,
        }
    }

    /// Whether the word here shows that an option is only being talked about.
    fn is_prose(&self, at: usize) -> bool {
        let word = &self.text[at..values::bare(self.bytes, at, false)];
        word.is_empty() || word.starts_with(['-', '|', '&', ';', '<', '>']) || PROSE.contains(&word)
    }
}
