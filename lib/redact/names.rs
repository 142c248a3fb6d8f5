//! The names in a free text: how far one reaches, what is around it, whether it is a secret's.

use std::ops::Range;

use super::keys::{is_key_kind, is_secret_key, is_secret_option, last_word_is};
use super::tokens::is_counted_before;
use super::values::Quote;

/// Parameters that carry a credential in an address, though not elsewhere.
const QUERY_NAMES: [&str; 6] = ["sig", "signature", "auth", "pass", "pwd", "key"];

/// `token.rs:12` is a place in a file, not a key and its value.
const FILE_KINDS: [&str; 26] = [
    "c", "cpp", "css", "csv", "env", "go", "h", "html", "java", "js", "json", "jsonl", "lock",
    "log", "md", "php", "py", "rb", "rs", "sh", "toml", "ts", "tsx", "txt", "yaml", "yml",
];

/// A name in a text.
pub(super) struct Key<'t> {
    text: &'t str,
    pub(super) name: &'t str,
    pub(super) range: Range<usize>,
    /// The quote right before the name.
    pub(super) opened: Option<Quote>,
    /// The quote right after the name.
    pub(super) closed: Option<Quote>,
    /// It is a parameter of an address.
    pub(super) query: bool,
}

impl<'t> Key<'t> {
    /// The name around this place, no part of it before `from`.
    pub(super) fn around(text: &'t str, from: usize, at: usize) -> Key<'t> {
        let bytes = text.as_bytes();
        let named = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
        let start = at - bytes[from..at].iter().rev().take_while(named).count();
        let end = at + bytes[at..].iter().take_while(named).count();
        let before = &bytes[..start];
        Key {
            text,
            name: &text[start..end],
            range: start..end,
            opened: Quote::before(bytes, start),
            closed: Quote::at(bytes, end),
            query: before.ends_with(b"?") || before.ends_with(b"&") || before.ends_with(b"&amp;"),
        }
    }

    /// What stands before the name.
    pub(super) fn before(&self) -> &'t [u8] {
        &self.text.as_bytes()[..self.range.start]
    }

    pub(super) fn is_secret(&self) -> bool {
        let name = self.name;
        if let Some((_, kind)) = name.rsplit_once('.')
            && FILE_KINDS.contains(&kind)
        {
            return false;
        }
        match name {
            _ if name.eq_ignore_ascii_case("token") => !is_counted_before(self.word_before()),
            _ if name.eq_ignore_ascii_case("key") || name.eq_ignore_ascii_case("keys") => {
                is_key_kind(self.word_before()) || self.query
            }
            _ => is_secret_key(name) || (self.query && last_word_is(name, &QUERY_NAMES)),
        }
    }

    /// Whether the name is an option that takes its value as the next argument.
    pub(super) fn is_option(&self) -> bool {
        let first = self.before().last().is_none_or(u8::is_ascii_whitespace);
        (first || self.opened.is_some()) && is_secret_option(self.name)
    }

    /// The word one space before the name: `api key`, `next token`.
    fn word_before(&self) -> &'t str {
        let Some((b' ', front)) = self.before().split_last() else {
            return "";
        };
        let letters = front.iter().rev().take(32);
        let length = letters
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        &self.text[front.len() - length..front.len()]
    }
}
