//! `lcsnap take`: a snapshot of what a projection knows, one for each source and epoch.
//!
//! Memory: the records, and the one snapshot that is being written.

use std::borrow::Cow;
use std::collections::HashMap;

use lctools::exit::Failure;
use lctools::line::Line;
use lctools::projection::{Child, Options, Projection};
use lctools::pump::{Context, MAX_MIXED_BYTES, Step};
use lctools::snapshot::{Head, Listed};
use xxhash_rust::xxh3::Xxh3;

use crate::cli::{Covers, TakeArgs};
use crate::records;

/// The step.
pub(crate) struct Take {
    projection: Projection,
    complete: bool,
    covers: Covers,
    snapshot_id: Option<String>,
    /// The children of each source and epoch, the next to be written last.
    groups: Option<Vec<Vec<usize>>>,
}

impl Take {
    pub(crate) fn new(args: &TakeArgs) -> Take {
        Take {
            projection: Projection::new(Options {
                stale_after: None,
                ..Options::default()
            }),
            complete: args.complete,
            covers: args.coverage,
            snapshot_id: args.snapshot_id.clone(),
            groups: None,
        }
    }

    fn group(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut places: HashMap<(&str, &str), usize> = HashMap::new();
        for (place, child) in self.projection.children().iter().enumerate() {
            let next = groups.len();
            let group = *places
                .entry((child.source(), child.epoch()))
                .or_insert(next);
            if group == next {
                groups.push(Vec::new());
            }
            if let Some(group) = groups.get_mut(group) {
                group.push(place);
            }
        }
        groups.reverse();
        groups
    }

    fn write(&self, group: &[usize], cx: &mut Context<'_>) {
        let children = self.projection.children();
        let members = || group.iter().filter_map(|place| children.get(*place));
        let newest = members().max_by_key(|child| child.observed_at());
        let Some(newest) = newest else { return };
        let id = match &self.snapshot_id {
            Some(id) => Cow::Borrowed(id.as_str()),
            None => Cow::Owned(content_id(members(), self.complete, self.covers)),
        };
        let head = Head {
            source: newest.source(),
            source_epoch: newest.epoch(),
            snapshot_id: &id,
            observed_at: newest.observed_at(),
            complete: self.complete,
        };
        let begin = cx.out.len();
        head.write(self.covers == Covers::All, members().map(listed), cx.out);
        let length = cx.out.len() - begin - 1;
        if length > MAX_MIXED_BYTES.get() {
            cx.findings.note(&format!(
                "the snapshot of `{}` has {length} bytes; readers take at most {MAX_MIXED_BYTES}",
                newest.source()
            ));
        }
    }
}

fn listed(child: &Child) -> Listed<'_> {
    Listed {
        child_id: Cow::Borrowed(child.id()),
        state: child.state(),
        sequence: child.last_sequence(),
    }
}

/// An id that is the same for the same content, and for no other.
fn content_id<'c>(
    children: impl Iterator<Item = &'c Child>,
    complete: bool,
    covers: Covers,
) -> String {
    let mut hash = Xxh3::new();
    let mut text = vec![u8::from(complete), u8::from(covers == Covers::All)];
    for child in children {
        listed(child).write(&mut text);
        child.observed_at().write(&mut text);
        hash.update(&text);
        text.clear();
    }
    format!("take-{:016x}", hash.digest())
}

impl Step for Take {
    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure> {
        if let Err(problem) = records::take(line.bytes, &mut self.projection) {
            cx.report(&line, &problem);
        }
        Ok(())
    }

    fn conclude(&mut self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        let mut groups = match self.groups.take() {
            Some(groups) => groups,
            None => self.group(),
        };
        let Some(group) = groups.pop() else {
            return Ok(false);
        };
        self.write(&group, cx);
        let more = !groups.is_empty();
        self.groups = Some(groups);
        Ok(more)
    }
}
