//! `--tree`: the children under their parents.
//!
//! Memory: some 50 bytes for each child; rows are made as they are written.

use std::time::Duration;

use lctools::projection::{Child, Projection};

use crate::forest::{Forest, Walk};
use crate::look::{self, Look, Paint};
use crate::names::{Name, Names};
use crate::row::{Row, agent, cause, marks, summary, time_taken};
use crate::text;

/// Deeper levels are drawn no deeper than this.
const DEEPEST: usize = 24;

/// Longer names do not push the columns of all the others to the right.
const WIDEST_NAME: usize = 64;

/// A tree being written.
#[derive(Debug)]
pub(crate) struct Tree {
    forest: Forest,
    names: Names,
    walk: Walk,
    row: Row,
    /// Where the names end, of those that are not too wide.
    names_end: usize,
    silences: Vec<Duration>,
}

impl Tree {
    /// Looks the children over.
    pub(crate) fn new(projection: &Projection) -> Tree {
        let children = projection.children();
        let forest = Forest::new(projection);
        let names = Names::new(children, &forest);
        let mut walk = Walk::default();
        let mut names_end = 0;
        while let Some(place) = walk.next(&forest) {
            if let Some(name) = names.of(children, place, walk.top()) {
                let end = 3 * walk.depth().min(DEEPEST) + 2 + name_width(&name);
                if end <= WIDEST_NAME {
                    names_end = names_end.max(end);
                }
            }
        }
        Tree {
            forest,
            names,
            walk: Walk::default(),
            row: Row::default(),
            names_end,
            silences: Vec::new(),
        }
    }

    /// For how long each child has been silent; otherwise time ends when it was last heard of.
    pub(crate) fn with_silences(self, silences: Vec<Duration>) -> Tree {
        Tree { silences, ..self }
    }

    /// Writes the next rows, at most `count`; true while more are to come.
    pub(crate) fn write(
        &mut self,
        children: &[Child],
        look: &Look,
        count: usize,
        out: &mut Vec<u8>,
    ) -> bool {
        for _ in 0..count {
            if !self.write_row(children, look, out) {
                self.write_summary(children, look, out);
                return false;
            }
        }
        true
    }

    /// Writes as many rows as a screen has room for, and what it has no room for in one word.
    /// Gives how many lines that took.
    pub(crate) fn write_screen(
        &mut self,
        children: &[Child],
        look: &Look,
        room: usize,
        out: &mut Vec<u8>,
    ) -> usize {
        let begun = out.len();
        // The summary takes two lines, as long as the screen has more than that.
        let with_summary = room > 3 || children.is_empty();
        let rows = if with_summary {
            room.saturating_sub(2)
        } else {
            room
        };
        let fits = children.len() <= rows;
        let shown = if fits { rows } else { rows.saturating_sub(1) };
        for _ in 0..shown {
            if !self.write_row(children, look, out) {
                break;
            }
        }
        if !fits {
            let more = children.len() - shown;
            self.row.clear();
            self.row
                .put(Paint::Dim, &format!("{} {more} more", look.ellipsis()));
            self.row.write(look, out);
        }
        if with_summary {
            self.write_summary(children, look, out);
        }
        let lines = out.iter().skip(begun).filter(|byte| **byte == b'\n');
        lines.count()
    }

    /// Writes the next row, if there is one.
    fn write_row(&mut self, children: &[Child], look: &Look, out: &mut Vec<u8>) -> bool {
        let Some(place) = self.walk.next(&self.forest) else {
            return false;
        };
        if let Some(child) = children.get(place) {
            self.write_child(children, child, place, look);
            self.row.write(look, out);
        }
        true
    }

    fn write_child(&mut self, children: &[Child], child: &Child, place: usize, look: &Look) {
        self.row.clear();
        let mut guides = String::new();
        push_guides(&mut guides, &self.walk, &self.forest, look);
        let row = &mut self.row;
        row.put(Paint::Dim, &guides);
        let paint = look::paint(child.state());
        row.put(paint, look.sign(child.state()));
        row.put(Paint::Plain, " ");
        let names_end = self.names_end.min(look.widest_name());
        if let Some(name) = self.names.of(children, place, self.walk.top()) {
            // Without a screen nothing is cut; a long name then only shifts its own row.
            let room = match look.columns {
                Some(_) => names_end.saturating_sub(row.width()),
                None => usize::MAX,
            };
            put_name(row, &name.narrowed(room), look);
        }
        row.fill(names_end);
        let state = row.width() + 2;
        let silence = self.silences.get(place).copied().unwrap_or_default();
        row.fill(state);
        row.put(paint, child.state().as_str());
        row.put_right(Paint::Plain, &time_taken(child, silence), state + 9 + 2 + 6);
        put_remarks(row, child);
    }

    fn write_summary(&mut self, children: &[Child], look: &Look, out: &mut Vec<u8>) {
        if !children.is_empty() {
            out.push(b'\n');
        }
        self.row.clear();
        self.row.put(Paint::Plain, &summary(children));
        self.row.write(look, out);
    }
}

fn name_width(name: &Name) -> usize {
    let agent = name
        .agent
        .as_deref()
        .map_or(0, |agent| text::width(&text::harmless(agent)) + 1);
    agent + text::width(&text::harmless(&name.id))
}

fn put_name(row: &mut Row, name: &Name, look: &Look) {
    match &name.agent {
        Some(agent) => {
            row.put(Paint::Bold, agent);
            row.put(Paint::Plain, " ");
            row.put(Paint::Dim, &name.id_as(look));
        }
        None => row.put(Paint::Bold, &name.id_as(look)),
    }
}

/// What is last in a row: doubts, the task, then the cause of an end or the last activity.
fn put_remarks(row: &mut Row, child: &Child) {
    let marks = marks(child);
    if !marks.is_empty() {
        row.put(Paint::Plain, "  ");
        row.put(Paint::Odd, &format!("[{marks}]"));
    }
    let mut between = "  ";
    if let Some(task) = agent(child, "description") {
        row.put(Paint::Plain, between);
        row.put(Paint::Plain, &task);
        between = ": ";
    }
    let (paint, last) = match cause(child) {
        Some(cause) => (Paint::Bad, cause),
        None => (
            Paint::Dim,
            child.last_activity().unwrap_or_default().to_owned(),
        ),
    };
    if !last.is_empty() {
        row.put(Paint::Plain, between);
        row.put(paint, &last);
    }
}

fn push_guides(guides: &mut String, walk: &Walk, forest: &Forest, look: &Look) {
    let [bar, gap, tee, corner] = match look.unicode {
        true => ["│  ", "   ", "├─ ", "└─ "],
        false => ["|  ", "   ", "|- ", "`- "],
    };
    let levels = walk.depth();
    for (level, more) in walk.more_follow(forest).take(DEEPEST).enumerate() {
        guides.push_str(match (level + 1 == levels.min(DEEPEST), more) {
            (true, true) => tee,
            (true, false) => corner,
            (false, true) => bar,
            (false, false) => gap,
        });
    }
}
