//! `--table`: one row for each child, first seen first.

use std::time::Duration;

use lctools::projection::Child;

use crate::look::{self, Look, Paint};
use crate::row::{Row, agent, cause, marks, summary, time_taken};
use crate::text;

const COLUMNS: [&str; 8] = [
    "STATE", "TIME", "STARTED", "SOURCE", "CHILD", "AGENT", "MARKS", "LAST",
];

/// A table being written.
#[derive(Debug)]
pub(crate) struct Table {
    /// How wide each column is; the last one is as wide as it is.
    widths: [usize; COLUMNS.len()],
    next: usize,
    row: Row,
}

impl Table {
    /// Measures the columns.
    pub(crate) fn new(children: &[Child], look: &Look) -> Table {
        let mut widths = COLUMNS.map(str::len);
        for child in children {
            for (width, cell) in widths.iter_mut().zip(cells(child, look)) {
                *width = (*width).max(text::width(&text::harmless(&cell)));
            }
        }
        Table {
            widths,
            next: 0,
            row: Row::default(),
        }
    }

    /// Writes the next rows, at most `count`; true while more are to come.
    pub(crate) fn write(
        &mut self,
        children: &[Child],
        look: &Look,
        count: usize,
        out: &mut Vec<u8>,
    ) -> bool {
        if self.next == 0 && !children.is_empty() {
            self.put(COLUMNS.map(str::to_owned), Paint::Bold);
            self.row.write(look, out);
        }
        for child in children.iter().skip(self.next).take(count) {
            self.put(cells(child, look), look::paint(child.state()));
            self.row.write(look, out);
        }
        self.next += count;
        if self.next < children.len() {
            return true;
        }
        if !children.is_empty() {
            out.push(b'\n');
        }
        self.row.clear();
        self.row.put(Paint::Plain, &summary(children));
        self.row.write(look, out);
        false
    }

    /// Puts a row's cells; the first one is painted.
    fn put(&mut self, cells: [String; COLUMNS.len()], paint: Paint) {
        self.row.clear();
        let mut column = 0;
        for (place, (cell, width)) in cells.iter().zip(self.widths).enumerate() {
            self.row.fill(column);
            let cell = if cell.is_empty() { "-" } else { cell };
            match COLUMNS.get(place) {
                Some(&"STATE") => self.row.put(paint, cell),
                Some(&"TIME") => self.row.put_right(Paint::Plain, cell, column + width),
                _ => self.row.put(Paint::Plain, cell),
            }
            column += width + 2;
        }
    }
}

fn cells(child: &Child, look: &Look) -> [String; COLUMNS.len()] {
    let last = cause(child).or_else(|| child.last_activity().map(str::to_owned));
    [
        format!("{} {}", look.sign(child.state()), child.state()),
        time_taken(child, Duration::ZERO),
        child.started_at().to_string(),
        child.source().to_owned(),
        child.id().to_owned(),
        agent(child, "name").unwrap_or_default(),
        marks(child),
        last.unwrap_or_default(),
    ]
}
