//! What is shown of a text from the stream: redacted first, then cut, always on one line.
//!
//! Nothing from the stream reaches an event but through here. What a text costs is bounded too:
//! of megabytes only the beginning is decoded, as much as [`lctools::redact::excerpt`] looks at
//! and more, so that it knows where it cut and no secret can straddle the bound.

use std::borrow::Cow;

use lctools::json::{Kind, Raw, strict};
use lctools::redact;

use crate::identity::key;

/// How much of a text is decoded, in bytes: more than the redaction's own window.
const DECODED: usize = 96 * 1024;

/// A nested value longer than this is not shown, only what it is.
const NESTED: usize = 16 * 1024;

/// The longest name of a tool or agent, in characters.
const NAME: usize = 64;

/// The longest id from the stream, in characters.
const ID: usize = 128;

/// How many arguments of a call are looked at.
const ARGUMENTS: usize = 32;

/// The beginning of a decoded string.
pub(crate) fn beginning(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    raw.as_str_prefix(DECODED)
}

/// A name as it is shown; `None` for what is no name.
pub(crate) fn name(raw: Option<Raw<'_>>) -> Option<String> {
    let name = redact::excerpt(&beginning(raw?)?, NAME);
    (!name.is_empty()).then_some(name)
}

/// An id as it is shown: a string, or a number as it is written.
pub(crate) fn id(raw: Option<Raw<'_>>) -> Option<String> {
    let id = redact::excerpt(&id_text(raw)?, ID);
    (!id.is_empty()).then_some(id)
}

/// An id as it is kept and compared.
pub(crate) fn id_key(raw: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    id_text(raw).map(key)
}

/// A name as it is kept and compared.
pub(crate) fn name_key(raw: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    beginning(raw?).filter(|name| !name.is_empty()).map(key)
}

/// A string that is not empty, or a number as it is written.
fn id_text(raw: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let raw = raw?;
    match raw.kind() {
        Kind::String => raw.as_str().filter(|id| !id.is_empty()),
        Kind::Number => Some(Cow::Borrowed(raw.text())),
        _ => None,
    }
}

/// How much is shown of free text: `--excerpt`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excerpts {
    /// In characters; 0 shows none.
    pub(crate) max: usize,
}

impl Excerpts {
    /// A text, or whatever stands in its place; `None` when there is nothing to show.
    pub(crate) fn of(self, raw: Option<Raw<'_>>) -> Option<String> {
        if self.max == 0 {
            return None;
        }
        let shown = redact::excerpt(&shown_value(raw?)?, self.max);
        (!shown.is_empty()).then_some(shown)
    }

    /// The arguments of a call: of one its value, of several `key=value` in a row. A value under
    /// a secret key is hidden by its key, every other one is redacted as text.
    pub(crate) fn arguments(self, raw: Option<Raw<'_>>) -> Option<String> {
        let args = raw?;
        if self.max == 0 || args.kind() != Kind::Object {
            return self.of(Some(args));
        }
        let mut members = args.members().take(ARGUMENTS).peekable();
        let first = members.next()?;
        if members.peek().is_none() {
            return Some(self.argument(&first.key, first.value)).filter(|text| !text.is_empty());
        }
        let mut text = String::new();
        for member in std::iter::once(first).chain(members) {
            if text.len() > self.max * 4 {
                break;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&redact::excerpt(&member.key, NAME));
            text.push('=');
            text.push_str(&self.argument(&member.key, member.value));
        }
        let shown = redact::excerpt(&text, self.max);
        (!shown.is_empty()).then_some(shown)
    }

    fn argument(self, key: &str, value: Raw<'_>) -> String {
        let hidden = matches!(value.kind(), Kind::String | Kind::Array | Kind::Object)
            && redact::is_secret_key(key);
        if hidden {
            return redact::excerpt(redact::MARKER, self.max);
        }
        let text = shown_value(value).unwrap_or(Cow::Borrowed("null"));
        redact::excerpt(&text, self.max)
    }
}

/// A value as text: a string decoded, another one as it is written.
fn shown_value(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    match raw.kind() {
        Kind::String => beginning(raw),
        Kind::Null => None,
        Kind::Object if raw.text().len() > NESTED => Some(Cow::Borrowed("{…}")),
        Kind::Array if raw.text().len() > NESTED => Some(Cow::Borrowed("[…]")),
        Kind::Object | Kind::Array => {
            let text = strict(raw);
            Some(Cow::Owned(redact::redact_json(&text).into_owned()))
        }
        // A number may have as many digits as the line is long.
        _ => Some(Cow::Borrowed(raw.text().get(..64).unwrap_or(raw.text()))),
    }
}

#[cfg(test)]
mod tests;
