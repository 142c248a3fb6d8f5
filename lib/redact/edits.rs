//! What is to be replaced in a text, collected first and applied at once.

use std::borrow::Cow;
use std::ops::Range;

use super::MARKER;

/// One replacement.
#[derive(Debug)]
struct Edit {
    range: Range<usize>,
    with: Cow<'static, str>,
}

/// A list of replacements, in any order, overlapping or not.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    /// Hides these bytes behind the marker, if there are any.
    pub(super) fn hide(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.replace(range, MARKER);
        }
    }

    pub(super) fn replace(&mut self, range: Range<usize>, with: impl Into<Cow<'static, str>>) {
        self.0.push(Edit {
            range,
            with: with.into(),
        });
    }

    /// A mark to return to with [`Edits::rewind`].
    pub(super) fn mark(&self) -> usize {
        self.0.len()
    }

    /// Forgets everything collected since the mark.
    pub(super) fn rewind(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    /// The text with every replacement made; borrowed when none of them changes it.
    ///
    /// Where replacements overlap, or two markers would touch, one marker covers them all: what
    /// any rule wants hidden is hidden.
    pub(super) fn apply(mut self, text: &str) -> Cow<'_, str> {
        self.0
            .sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut merged: Vec<Edit> = Vec::new();
        for edit in self.0 {
            match merged.last_mut() {
                Some(last) if last.swallows(&edit) => {
                    last.range.end = last.range.end.max(edit.range.end);
                    last.with = Cow::Borrowed(MARKER);
                }
                _ => merged.push(edit),
            }
        }
        merged.retain(|edit| text[edit.range.clone()] != *edit.with);
        if merged.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for edit in merged {
            out.push_str(&text[done..edit.range.start]);
            out.push_str(&edit.with);
            done = edit.range.end;
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }
}

impl Edit {
    fn swallows(&self, next: &Edit) -> bool {
        let both_markers = self.with == MARKER && next.with == MARKER;
        next.range.start < self.range.end || (next.range.start == self.range.end && both_markers)
    }
}
