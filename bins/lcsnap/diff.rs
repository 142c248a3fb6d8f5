//! `lcsnap diff`: what differs between a snapshot and the last one of the same source.
//!
//! A snapshot speaks of its own epoch: a child that another one listed is not removed by it, as in
//! the projection. Two sources may share a name.
//!
//! Memory: for each source the children that its snapshots have listed and not removed.

use std::collections::{BTreeMap, HashMap};

use lctools::event::State;
use lctools::exit::{Exit, Failure};
use lctools::json::push_str;
use lctools::line::Line;
use lctools::pump::{Context, Step};
use lctools::record::Record;
use lctools::snapshot::{IdSet, SnapshotView};
use xxhash_rust::xxh3::xxh3_64;

use crate::cli::{DiffArgs, InputArgs};

/// The step.
pub(crate) struct Diff {
    sources: HashMap<Box<str>, Known>,
    /// There are two files: the first one only says what was before.
    two_files: bool,
    differs: bool,
}

/// What the snapshots of a source have said so far.
#[derive(Default)]
struct Known {
    snapshot_id: Option<Box<str>>,
    children: BTreeMap<Box<str>, Entry>,
}

/// What was last listed of a child.
#[derive(Clone, Copy)]
struct Entry {
    state: State,
    sequence: Option<u64>,
    /// A hash of the epoch.
    epoch: u64,
}

/// What is read: the two files, or standard input.
pub(crate) fn input(args: &DiffArgs) -> InputArgs {
    InputArgs {
        files: args.old.iter().chain(&args.new).cloned().collect(),
        reading: args.reading.clone(),
    }
}

/// The two sides of a difference, as JSON.
struct Sides(String, String);

impl Diff {
    pub(crate) fn new(args: &DiffArgs) -> Diff {
        Diff {
            sources: HashMap::new(),
            two_files: args.new.is_some(),
            differs: false,
        }
    }

    fn snapshot(&mut self, view: &SnapshotView<'_>, cx: &mut Context<'_>) {
        let first = !self.sources.contains_key(&*view.source);
        let before = self.two_files && cx.file_index == 0;
        // The first of a source has nothing to differ from, unless OLD could have told of it.
        let quiet = before || (first && !self.two_files);
        let known = self.sources.entry((&*view.source).into()).or_default();
        let begin = cx.out.len();
        compare(known, view, cx.out);
        if quiet {
            cx.out.truncate(begin);
        }
        self.differs |= cx.out.len() > begin;
        known.snapshot_id = Some((&*view.snapshot_id).into());
    }
}

/// Writes the differences and takes over what the snapshot says.
fn compare(known: &mut Known, view: &SnapshotView<'_>, out: &mut Vec<u8>) {
    let previous = known.snapshot_id.as_deref();
    let epoch = xxh3_64(view.source_epoch.as_bytes());
    for child in &view.children {
        let now = Entry {
            state: child.state,
            sequence: child.sequence,
            epoch,
        };
        let id = &*child.child_id;
        let before = match known.children.get_mut(id) {
            Some(known) => Some(std::mem::replace(known, now)),
            None => known.children.insert(id.into(), now),
        };
        match before {
            None => {
                let sides = Sides("null".to_owned(), word(now.state));
                write("added", id, &sides, view, previous, out);
            }
            Some(Entry {
                state, sequence, ..
            }) => {
                if state != now.state {
                    let sides = Sides(word(state), word(now.state));
                    write("state", id, &sides, view, previous, out);
                }
                if sequence != now.sequence {
                    let sides = Sides(number(sequence), number(now.sequence));
                    write("sequence", id, &sides, view, previous, out);
                }
            }
        }
    }
    if !view.complete {
        return;
    }
    let listed: IdSet = view.children.iter().map(|child| &*child.child_id).collect();
    known.children.retain(|id, entry| {
        let stays = entry.epoch != epoch || listed.contains(id) || !view.proves_absence(id);
        if !stays {
            let sides = Sides(word(entry.state), "null".to_owned());
            write("removed", id, &sides, view, previous, out);
        }
        stays
    });
}

fn write(
    change: &str,
    child: &str,
    sides: &Sides,
    view: &SnapshotView<'_>,
    previous: Option<&str>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"type\":\"diff\",\"change\":\"");
    out.extend_from_slice(change.as_bytes());
    out.extend_from_slice(b"\",\"source\":");
    push_str(out, &view.source);
    out.extend_from_slice(b",\"childId\":");
    push_str(out, child);
    out.extend_from_slice(b",\"from\":");
    out.extend_from_slice(sides.0.as_bytes());
    out.extend_from_slice(b",\"to\":");
    out.extend_from_slice(sides.1.as_bytes());
    out.extend_from_slice(b",\"snapshotId\":");
    push_str(out, &view.snapshot_id);
    if let Some(previous) = previous {
        out.extend_from_slice(b",\"previousSnapshotId\":");
        push_str(out, previous);
    }
    out.extend_from_slice(b"}\n");
}

fn word(state: State) -> String {
    format!("\"{state}\"")
}

fn number(sequence: Option<u64>) -> String {
    sequence.map_or_else(|| "null".to_owned(), |sequence| sequence.to_string())
}

impl Step for Diff {
    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure> {
        match Record::parse(line.bytes) {
            Ok(Record::Snapshot(fields)) => match SnapshotView::from_fields(&fields) {
                Ok(view) => self.snapshot(&view, cx),
                Err(problem) => cx.report(&line, &problem),
            },
            Ok(Record::Event(_) | Record::Own(_)) => {}
            Err(problem) => cx.report(&line, &problem),
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Exit, Failure> {
        Ok(if self.differs {
            Exit::Findings
        } else {
            Exit::Done
        })
    }
}
