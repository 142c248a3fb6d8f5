//! Writing a snapshot piece by piece, compact JSON in the order of the contract.

use super::Listed;
use crate::event::push_number;
use crate::json::push_str;
use crate::time::UtcTime;

/// What stands before the children.
#[derive(Clone, Debug)]
pub struct Head<'a> {
    /// Who tells.
    pub source: &'a str,
    /// One life of the source.
    pub source_epoch: &'a str,
    /// Names it within the source and epoch.
    pub snapshot_id: &'a str,
    /// When it was observed.
    pub observed_at: UtcTime,
    /// A snapshot; else a partial view.
    pub complete: bool,
}

impl Head<'_> {
    /// Appends a snapshot as one line, LF included. The coverage is `all`, or exactly what is
    /// listed.
    pub fn write<'c>(
        &self,
        covers_all: bool,
        children: impl Iterator<Item = Listed<'c>> + Clone,
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(b"{\"source\":");
        push_str(out, self.source);
        out.extend_from_slice(b",\"sourceEpoch\":");
        push_str(out, self.source_epoch);
        out.extend_from_slice(b",\"snapshotId\":");
        push_str(out, self.snapshot_id);
        out.extend_from_slice(b",\"observedAt\":\"");
        self.observed_at.write(out);
        out.extend_from_slice(b"\",\"complete\":");
        out.extend_from_slice(if self.complete { b"true" } else { b"false" });
        out.extend_from_slice(b",\"coverage\":");
        if covers_all {
            out.extend_from_slice(b"\"all\"");
        } else {
            for (place, child) in children.clone().enumerate() {
                out.push(if place == 0 { b'[' } else { b',' });
                push_str(out, &child.child_id);
            }
            out.push(b']');
        }
        out.extend_from_slice(b",\"children\":[");
        for (place, child) in children.enumerate() {
            if place > 0 {
                out.push(b',');
            }
            child.write(out);
        }
        out.extend_from_slice(b"]}\n");
    }
}

impl Listed<'_> {
    /// Appends the child as a JSON object.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"childId\":");
        push_str(out, &self.child_id);
        out.extend_from_slice(b",\"state\":\"");
        out.extend_from_slice(self.state.as_str().as_bytes());
        out.push(b'"');
        if let Some(sequence) = self.sequence {
            out.extend_from_slice(b",\"sequence\":");
            push_number(out, sequence);
        }
        out.push(b'}');
    }
}
