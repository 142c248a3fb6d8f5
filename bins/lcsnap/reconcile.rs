//! `lcsnap reconcile`: what snapshots correct, by the rules of the projection.

use std::path::PathBuf;

use lctools::exit::Failure;
use lctools::finding::Problem;
use lctools::line::Line;
use lctools::projection::{Effect, Effects, Options, Projection};
use lctools::pump::{Context, Step};
use lctools::record::Record;
use lctools::snapshot::SnapshotView;

use crate::cli::ReconcileArgs;
use crate::records;

/// The step.
pub(crate) struct Reconcile {
    projection: Projection,
    effects: Effects,
    cap: std::num::NonZeroUsize,
    /// The records still to be read.
    against: Option<PathBuf>,
}

impl Reconcile {
    pub(crate) fn new(args: ReconcileArgs) -> Reconcile {
        Reconcile {
            projection: Projection::new(Options {
                // Records and snapshots may be days apart: only snapshots are judged here.
                stale_after: None,
                omission_grace: args.omission_grace,
                ..Options::default()
            }),
            effects: Effects::default(),
            cap: args.input.reading.max_line_bytes,
            against: Some(args.against),
        }
    }

    fn snapshot(&mut self, view: &SnapshotView<'_>, line: &Line<'_>, cx: &mut Context<'_>) {
        let outcome = self.projection.reconcile(view, &mut self.effects);
        if let Some(code) = outcome.code {
            let message = format!(
                "the snapshot id `{}` was used for something else; the snapshot is ignored",
                view.snapshot_id
            );
            cx.report(line, &Problem::new(code, message));
        }
        for effect in self.effects.told() {
            match effect {
                Effect::Synthesized(made) => made.write_event(&self.projection, cx.out),
                Effect::Intent(_) | Effect::Diagnostic(_) => {
                    effect.write(&self.projection, cx.out);
                    cx.out.push(b'\n');
                }
                // The event says it already.
                Effect::Audit(_) => {}
            }
        }
        self.effects.clear();
    }
}

impl Step for Reconcile {
    fn open(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        match self.against.take() {
            Some(path) => records::load(&path, self.cap, &mut self.projection, cx),
            None => Ok(()),
        }
    }

    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure> {
        match Record::parse(line.bytes) {
            Ok(Record::Snapshot(fields)) => match SnapshotView::from_fields(&fields) {
                Ok(view) => self.snapshot(&view, &line, cx),
                Err(problem) => cx.report(&line, &problem),
            },
            Ok(Record::Event(_) | Record::Own(_)) => {}
            Err(problem) => cx.report(&line, &problem),
        }
        Ok(())
    }
}
