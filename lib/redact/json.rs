//! JSON, walked as it was read: what stays keeps its bytes.
//!
//! The walk is iterative, with one byte of memory per level of nesting, and knows the grammar of
//! JSON but for control characters and unknown escapes in strings, which it lets pass.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::edits::Edits;
use super::keys::{is_secret_key, is_secret_option};
use super::scalars::{decode, number};
use super::{text, triggers};

const QUOTED_MARKER: &str = "\"[REDACTED]\"";

/// What is done with the strings.
#[derive(Clone, Copy)]
pub(super) enum Strings {
    /// The document itself: redact until nothing changes.
    Document,
    /// JSON inside a text: one pass, so many levels left. The text's own passes do the rest.
    Embedded(usize),
}

/// The raw text of one JSON value with its secrets hidden; `None` if it is not JSON.
pub(super) fn redact(raw: &str) -> Option<Cow<'_, str>> {
    let mut edits = Edits::default();
    let start = raw.len() - raw.trim_ascii_start().len();
    let end = walk(raw, start, Strings::Document, &mut edits).ok()?;
    raw[end..].trim_ascii().is_empty().then(|| edits.apply(raw))
}

/// Collects the replacements for the value that begins at `start` and tells where it ends, or
/// where it stopped being JSON.
pub(super) fn walk(
    raw: &str,
    start: usize,
    strings: Strings,
    edits: &mut Edits,
) -> Result<usize, usize> {
    let bytes = raw.as_bytes();
    let next = Next {
        secret: false,
        option: false,
    };
    Walk {
        raw,
        bytes,
        at: start,
        strings,
        edits,
        levels: Vec::new(),
        next,
        hidden: None,
    }
    .run()
}

/// What is known about the value that comes next.
struct Next {
    /// It stands under a secret key.
    secret: bool,
    /// It follows a string like `--password` in an array.
    option: bool,
}

/// An array or object under a secret key, being passed over.
struct Hidden {
    level: usize,
    start: usize,
    mark: usize,
}

struct Walk<'r, 'e> {
    raw: &'r str,
    bytes: &'r [u8],
    at: usize,
    strings: Strings,
    edits: &'e mut Edits,
    /// The brackets that are open.
    levels: Vec<u8>,
    next: Next,
    hidden: Option<Hidden>,
}

impl Walk<'_, '_> {
    fn run(mut self) -> Result<usize, usize> {
        loop {
            self.blanks();
            match self.byte() {
                Some(open @ (b'{' | b'[')) => {
                    self.enter(open);
                    self.blanks();
                    let is_empty = self.byte() == Some(open + 2);
                    if !is_empty && open == b'{' {
                        self.key()?;
                    }
                    if !is_empty {
                        continue;
                    }
                }
                Some(b'"') => self.string_value()?,
                _ => self.scalar()?,
            }
            if self.after_value()? {
                return Ok(self.at);
            }
        }
    }

    /// Past the brackets that close here, to where the next value begins; true at the very end.
    fn after_value(&mut self) -> Result<bool, usize> {
        while let Some(open) = self.levels.last().copied() {
            self.blanks();
            match self.byte() {
                Some(b',') => {
                    self.at += 1;
                    if open == b'{' {
                        self.blanks();
                        self.key()?;
                    }
                    return Ok(false);
                }
                // The closing brackets of ASCII are two after the opening ones.
                Some(close) if close == open + 2 => self.leave(),
                _ => return Err(self.at),
            }
        }
        Ok(true)
    }

    fn enter(&mut self, open: u8) {
        if self.next.secret && self.hidden.is_none() {
            let (level, mark) = (self.levels.len(), self.edits.mark());
            self.hidden = Some(Hidden {
                level,
                start: self.at,
                mark,
            });
        }
        self.next = Next {
            secret: false,
            option: false,
        };
        self.levels.push(open);
        self.at += 1;
    }

    fn leave(&mut self) {
        self.at += 1;
        self.levels.pop();
        self.next.option = false;
        if let Some(hidden) = self
            .hidden
            .take_if(|hidden| hidden.level == self.levels.len())
        {
            self.edits.rewind(hidden.mark);
            self.edits.replace(hidden.start..self.at, QUOTED_MARKER);
        }
    }

    fn key(&mut self) -> Result<(), usize> {
        let range = self.string()?;
        self.next.secret = self.hidden.is_none() && self.judge(range, is_secret_key);
        self.blanks();
        if self.byte() != Some(b':') {
            return Err(self.at);
        }
        self.at += 1;
        Ok(())
    }

    fn string_value(&mut self) -> Result<(), usize> {
        let range = self.string()?;
        let next = std::mem::replace(
            &mut self.next,
            Next {
                secret: false,
                option: false,
            },
        );
        if self.hidden.is_some() {
            return Ok(());
        }
        if next.secret || next.option {
            self.edits.replace(range, QUOTED_MARKER);
            return Ok(());
        }
        let is_option = self.judge(range, is_secret_option);
        self.next.option = is_option && self.levels.last() == Some(&b'[');
        Ok(())
    }

    /// Redacts the string at this place, quotes included in it, and asks a question about it, as
    /// it was and as it has become.
    fn judge(&mut self, range: Range<usize>, question: fn(&str) -> bool) -> bool {
        let raw = &self.raw[range.start + 1..range.end - 1];
        if !triggers::any(raw) {
            return false;
        }
        let decoded = decode(raw);
        let redacted = match self.strings {
            Strings::Document => text::redact(&decoded),
            Strings::Embedded(levels) => text::pass(&decoded, levels),
        };
        let Cow::Owned(changed) = redacted else {
            return question(&decoded);
        };
        let answer = question(&decoded) || question(&changed);
        self.edits
            .replace(range, serde_json::Value::String(changed).to_string());
        answer
    }

    /// Reads a string and tells where it stands, quotes included.
    fn string(&mut self) -> Result<Range<usize>, usize> {
        if self.byte() != Some(b'"') {
            return Err(self.at);
        }
        let start = self.at;
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let found = memchr2(b'"', b'\\', rest).ok_or(self.bytes.len())?;
            self.at += found;
            if self.bytes[self.at] == b'"' {
                self.at += 1;
                return Ok(start..self.at);
            }
            self.at += 2;
        }
    }

    /// Reads a number or a name; these are never secret.
    fn scalar(&mut self) -> Result<(), usize> {
        const NAMES: [&[u8]; 6] = [
            b"true",
            b"false",
            b"null",
            b"NaN",
            b"Infinity",
            b"-Infinity",
        ];
        let rest = &self.bytes[self.at..];
        let name = NAMES
            .iter()
            .find(|name| rest.starts_with(name))
            .map(|name| name.len());
        self.at += name.or_else(|| number(rest)).ok_or(self.at)?;
        self.next = Next {
            secret: false,
            option: false,
        };
        Ok(())
    }

    fn blanks(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}
