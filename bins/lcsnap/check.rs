//! `lcsnap check`: is every snapshot and partial view valid?

use lctools::exit::Failure;
use lctools::line::Line;
use lctools::pump::{Context, Step};
use lctools::record::Record;
use lctools::snapshot::SnapshotView;

/// The step; it writes nothing but findings.
pub(crate) struct Check;

impl Step for Check {
    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure> {
        let verdict = Record::parse(line.bytes).and_then(|record| match record {
            Record::Snapshot(fields) => SnapshotView::from_fields(&fields).map(|_| ()),
            Record::Event(_) | Record::Own(_) => Ok(()),
        });
        if let Err(problem) = verdict {
            cx.report(&line, &problem);
        }
        Ok(())
    }
}
