//! Free text: what is done where a trigger stands.
//!
//! At each trigger the rule it stands for looks around; JSON in the text is found on the way and
//! treated as JSON.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::edits::Edits;
use super::json::{self, Strings};
use super::pairs::Pairs;
use super::shapes::Shapes;
use super::triggers::{self, Rule};
use super::{schemes, urls};

/// How many levels of JSON in strings in JSON are decoded; below that, text rules alone.
const MAX_EMBEDDED: usize = 6;

/// A text that is still not at rest after so many passes is hidden whole.
const MAX_PASSES: usize = 8;

/// The text after as many passes as it takes until another would change nothing.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    let mut now = Cow::Borrowed(text);
    for _ in 0..MAX_PASSES {
        match pass(&now, MAX_EMBEDDED) {
            Cow::Borrowed(_) => return now,
            Cow::Owned(changed) => now = Cow::Owned(changed),
        }
    }
    Cow::Borrowed(super::MARKER)
}

/// One pass over the text. `depth`: how many levels of JSON may still be decoded.
pub(super) fn pass(text: &str, depth: usize) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut found = triggers::all(text).peekable();
    if found.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut edits = Edits::default();
    let mut embedded = Embedded::new(text, depth, &mut edits);
    let mut pairs = Pairs::new(text);
    let mut shapes = Shapes::default();
    let mut curl_from = 0;
    for (rule, Range { start: at, end }) in found {
        if embedded.covers(at, &mut edits) {
            continue;
        }
        let mut hide = |range| edits.hide(range);
        match rule {
            Rule::Word => pairs.look(at, hide),
            Rule::Bearer => {
                pairs.look(at, &mut hide);
                schemes::credential(bytes, at..end, schemes::is_bearer)
                    .into_iter()
                    .for_each(hide);
            }
            Rule::Basic => {
                schemes::credential(bytes, at..end, schemes::is_basic)
                    .into_iter()
                    .for_each(hide);
            }
            Rule::WebToken => shapes.web_token(bytes, at).into_iter().for_each(hide),
            Rule::PrivateKey => shapes.private_key(bytes, at).into_iter().for_each(hide),
            Rule::Address => urls::password(bytes, end).into_iter().for_each(hide),
            Rule::Curl if at >= curl_from => curl_from = urls::curl(bytes, end, hide),
            Rule::Curl | Rule::Escape => {}
            Rule::Prefix(number) => shapes.key(bytes, at, number).into_iter().for_each(hide),
        }
    }
    edits.apply(text)
}

/// The JSON in a text: objects anywhere, any value that is the whole text.
///
/// Found from left to right and only as far as there are triggers. An attempt that fails is
/// taken up again where it failed, not where it began, so that no byte is read twice.
struct Embedded<'t> {
    text: &'t str,
    depth: usize,
    /// The last value found.
    last: Range<usize>,
    from: usize,
}

impl<'t> Embedded<'t> {
    fn new(text: &'t str, depth: usize, edits: &mut Edits) -> Self {
        let mut new = Embedded {
            text,
            depth,
            last: 0..0,
            from: 0,
        };
        let trimmed = text.trim_ascii();
        let whole = matches!(trimmed.as_bytes(), [b'[', .., b']'] | [b'"', .., b'"']);
        if depth > 0 && whole {
            let start = text.len() - text.trim_ascii_start().len();
            let end = start + trimmed.len();
            let mark = edits.mark();
            if json::walk(text, start, Strings::Embedded(depth - 1), edits) == Ok(end) {
                new.last = start..end;
                new.from = end;
            } else {
                edits.rewind(mark);
            }
        }
        new
    }

    /// Whether this place is inside JSON, which has then been seen to.
    fn covers(&mut self, at: usize, edits: &mut Edits) -> bool {
        while self.depth > 0 && self.from <= at {
            let Some(offset) = memchr(b'{', &self.text.as_bytes()[self.from..=at]) else {
                self.from = at + 1;
                break;
            };
            let start = self.from + offset;
            let mark = edits.mark();
            match json::walk(self.text, start, Strings::Embedded(self.depth - 1), edits) {
                Ok(end) => (self.last, self.from) = (start..end, end),
                Err(failed) => {
                    edits.rewind(mark);
                    self.from = failed.max(start + 1);
                }
            }
        }
        self.last.contains(&at)
    }
}
