//! One row for people: painted pieces, columns filled up, cut to the screen.

use std::time::Duration;

use lctools::event::State;
use lctools::json::{Kind, Raw};
use lctools::projection::Child;
use lctools::time::human_duration;

use crate::look::{Look, Paint};
use crate::text;

/// A row being put together; used again for the next one.
#[derive(Debug, Default)]
pub(crate) struct Row {
    text: String,
    /// Where each piece ends in `text`, and its paint.
    pieces: Vec<(usize, Paint)>,
    width: usize,
}

impl Row {
    /// Begins the next row.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
        self.width = 0;
    }

    /// Appends a piece.
    pub(crate) fn put(&mut self, paint: Paint, piece: &str) {
        let piece = text::harmless(piece);
        self.width += text::width(&piece);
        self.text.push_str(&piece);
        self.pieces.push((self.text.len(), paint));
    }

    /// Fills up with spaces to a column; nothing if it is passed.
    pub(crate) fn fill(&mut self, column: usize) {
        if self.width < column {
            self.text
                .extend(std::iter::repeat_n(' ', column - self.width));
            self.pieces.push((self.text.len(), Paint::Plain));
            self.width = column;
        }
    }

    /// Appends a piece so that it ends at a column.
    pub(crate) fn put_right(&mut self, paint: Paint, piece: &str, column: usize) {
        self.fill(column.saturating_sub(text::width(piece)));
        self.put(paint, piece);
    }

    /// How many columns it takes so far.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Appends the row to the output as a line.
    pub(crate) fn write(&self, look: &Look, out: &mut Vec<u8>) {
        let cut = look.columns.filter(|columns| self.width > *columns);
        let shown = match cut {
            Some(columns) => text::beginning(&self.text, columns.saturating_sub(1)),
            None => self.text.trim_end_matches(' '),
        };
        let mut from = 0;
        for (end, paint) in &self.pieces {
            let to = (*end).min(shown.len());
            let begin = look.begin(*paint);
            if let Some(piece) = shown.get(from..to).filter(|piece| !piece.is_empty()) {
                out.extend_from_slice(begin.as_bytes());
                out.extend_from_slice(piece.as_bytes());
                if !begin.is_empty() {
                    out.extend_from_slice(Look::RESET.as_bytes());
                }
            }
            from = to;
        }
        if cut.is_some() {
            out.extend_from_slice(look.ellipsis().as_bytes());
        }
        out.push(b'\n');
    }
}

/// How long a child has taken, or took: until its end, or until it was last heard of and the
/// silence since then.
pub(crate) fn time_taken(child: &Child, silence: Duration) -> String {
    let (until, silence) = match child.state().is_terminal() {
        true => (child.state_since(), Duration::ZERO),
        false => (child.observed_at(), silence),
    };
    human_duration(until.since(child.started_at()).saturating_add(silence))
}

/// What should be known before a child's row is believed.
pub(crate) fn marks(child: &Child) -> String {
    let lineage = child.lineage();
    let attempt = lineage.as_ref().map_or(0, |lineage| lineage.attempt);
    let external = lineage.is_some_and(|lineage| lineage.external);
    let marks = [
        (attempt > 0).then(|| format!("attempt {attempt}")),
        external.then(|| "external".to_owned()),
        child.correction().map(|_| "corrected".to_owned()),
        child.has_gap().then(|| "gap".to_owned()),
        child.is_stale().then(|| "stale".to_owned()),
    ];
    marks.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Why a child ended, as text: a string, the `message` of an object, else the JSON.
pub(crate) fn cause(child: &Child) -> Option<String> {
    let text = child.terminal_cause()?;
    let cause = Raw::parse(text).ok()?;
    let message = match cause.kind() {
        Kind::Object => cause.get("message").and_then(|message| message.as_str()),
        _ => cause.as_str(),
    };
    Some(message.map_or_else(|| text.to_owned(), |message| message.into_owned()))
}

/// What a child's agent says about itself.
pub(crate) fn agent(child: &Child, member: &str) -> Option<String> {
    let text = Raw::parse(child.agent()?).ok()?.get(member)?.as_str()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Counts children by state, ended ones first: `3 children: 2 completed, 1 failed`.
pub(crate) fn summary(children: &[Child]) -> String {
    const ORDER: [State; 8] = [
        State::Completed,
        State::Failed,
        State::Cancelled,
        State::Lost,
        State::Running,
        State::Waiting,
        State::Starting,
        State::Created,
    ];
    let count = |wanted: &dyn Fn(&Child) -> bool| children.iter().filter(|c| wanted(c)).count();
    let said = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let states = ORDER.iter();
    let states = states.filter_map(|state| said(count(&|c| c.state() == *state), state.as_str()));
    let doubts = [
        said(count(&Child::has_gap), "with a gap"),
        said(count(&Child::is_stale), "stale"),
    ];
    let mut text = match children.len() {
        0 => return "no children".to_owned(),
        1 => "1 child: ".to_owned(),
        many => format!("{many} children: "),
    };
    text += &states.collect::<Vec<_>>().join(", ");
    for doubt in doubts.into_iter().flatten() {
        text += "; ";
        text += &doubt;
    }
    text
}
