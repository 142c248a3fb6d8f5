//! The step: each line to the projection, what became of it to the output.

use std::time::Duration;

use lctools::event::EventView;
use lctools::exit::{Exit, Failure};
use lctools::finding::{Class, Problem};
use lctools::line::Line;
use lctools::projection::{Effect, Effects, Options, Outcome, Projection, Status, write_progress};
use lctools::pump::{Context, Pause, Step};
use lctools::record::Record;
use lctools::snapshot::SnapshotView;
use lctools::time::UtcTime;

use crate::cli::{Cli, LiveArgs};
use crate::closing::Closing;
use crate::expect;
use crate::explain;
use crate::live::{Answer, Live};
use crate::look::Look;
use crate::screen::Screen;
use crate::update;

/// lcproject's step.
pub(crate) struct Project {
    projection: Projection,
    /// What follows from the line at hand.
    effects: Effects,
    strict: bool,
    updates: bool,
    /// Every source's clock is moved on to this when the input has ended.
    now: Option<UtcTime>,
    /// Live mode, from the first stream on.
    live: Option<Live>,
    live_args: Option<LiveArgs>,
    /// Updates name their file: there are several.
    name_files: bool,
    /// The tree is drawn while it grows.
    screen: Option<Screen>,
    closing: Closing,
    expect: Option<lctools::event::State>,
    look: Look,
}

impl Project {
    pub(crate) fn new(cli: &Cli) -> Project {
        let view = &cli.view;
        let look = Look::of_stdout(view.color);
        let draws = cli.live.live && view.tree && look.redraws;
        let updates = view.updates || (cli.live.live && !draws);
        let closing = match (updates, view.tree, view.table) {
            (true, _, _) => Closing::Nothing,
            (_, true, _) => Closing::Tree(None),
            (_, _, true) => Closing::Table(None),
            _ => Closing::Records { next: 0 },
        };
        Project {
            projection: Projection::new(Options {
                window: cli.rules.window as usize,
                strict: cli.rules.strict,
                stale_after: Some(cli.freshness.stale_after),
                omission_grace: cli.freshness.omission_grace,
                lost_after: cli.freshness.lost_after,
            }),
            effects: Effects::default(),
            now: cli.freshness.now,
            live: None,
            live_args: cli.live.live.then(|| cli.live.clone()),
            strict: cli.rules.strict,
            updates,
            screen: draws.then(Screen::new),
            name_files: cli.files.len() > 1,
            closing,
            expect: cli.rules.expect,
            look,
        }
    }

    fn event(&mut self, event: &EventView<'_>, line: &Line<'_>, cx: &mut Context<'_>) {
        for warning in event.warnings() {
            cx.report(line, &warning);
        }
        let outcome = self.projection.apply(event, &mut self.effects);
        if let Some(code) = outcome.finding()
            // Nothing is put into words that would not be said.
            && (self.strict || code.class() != Class::Status)
        {
            let child = outcome
                .child
                .and_then(|place| self.projection.children().get(place));
            let message = explain::message(code, event, child);
            cx.report(line, &Problem::new(code, message));
        }
        self.tell(Some(outcome), line, cx);
    }

    fn snapshot(&mut self, view: &SnapshotView<'_>, line: &Line<'_>, cx: &mut Context<'_>) {
        let outcome = self.projection.reconcile(view, &mut self.effects);
        if let Some(code) = outcome.code {
            cx.report(line, &Problem::new(code, explain::snapshot_conflict(view)));
        }
        // A refused snapshot is a finding; what follows from its time is told.
        let taken = (outcome.status != Status::Conflict).then_some(outcome);
        if self.strict {
            for effect in self.effects.told() {
                if let Effect::Diagnostic(diagnostic) = effect
                    && let Some(child) = self.projection.children().get(diagnostic.child)
                {
                    let message = explain::listing(diagnostic.code, child);
                    cx.report(line, &Problem::new(diagnostic.code, message));
                }
            }
        }
        self.tell(taken, line, cx);
    }

    /// Writes what became of a line, if every line is told of.
    fn tell(&mut self, outcome: Option<Outcome>, line: &Line<'_>, cx: &mut Context<'_>) {
        if self.updates {
            if let Some(outcome) = outcome {
                let child = outcome
                    .child
                    .and_then(|place| self.projection.children().get(place));
                update::write(&outcome, child, line, self.name_files, cx);
            }
            self.consequences(outcome.and_then(|outcome| outcome.child), cx);
        }
        self.forget_effects();
    }

    /// What follows from time or from an answer: as for a line, but without an update.
    fn tell_consequences(&mut self, cx: &mut Context<'_>) {
        if self.updates {
            self.consequences(None, cx);
        }
        self.forget_effects();
    }

    fn forget_effects(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.change();
        }
        if let Some(live) = &mut self.live {
            live.note(&self.effects);
        }
        self.effects.clear();
    }

    fn answer(&mut self, answer: Answer, cx: &mut Context<'_>) {
        let asked = self.live.as_mut().map(Live::take_asked);
        let problem = match &answer {
            Answer::Failed(why) => Some(why.clone()),
            Answer::Line(line) => self.answer_line(line).err().map(|problem| {
                format!(
                    "no snapshot from --snapshot-cmd: {}: {}",
                    problem.code, problem.message
                )
            }),
        };
        if let Some(problem) = problem {
            cx.findings.note(&problem);
            for child in asked.unwrap_or_default() {
                self.projection
                    .reconciliation_failed(child, &mut self.effects);
            }
        }
        self.tell_consequences(cx);
    }

    fn answer_line(&mut self, line: &[u8]) -> Result<(), Problem> {
        let view = SnapshotView::parse(line)?;
        let outcome = self.projection.reconcile(&view, &mut self.effects);
        match outcome.code {
            Some(code) => Err(Problem::new(code, explain::snapshot_conflict(&view))),
            None => Ok(()),
        }
    }

    /// Writes what follows from a line beside its update, or from the time.
    fn consequences(&mut self, child: Option<usize>, cx: &mut Context<'_>) {
        for effect in self.effects.told() {
            effect.write(&self.projection, cx.out);
            cx.out.push(b'\n');
        }
        for place in self.effects.changed_beside(child) {
            if let Some(child) = self.projection.children().get(place) {
                write_progress(child, cx.out);
                cx.out.push(b'\n');
            }
        }
    }
}

impl Step for Project {
    fn open(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if let Some(args) = self.live_args.take() {
            self.live = Some(Live::new(&args, cx.now));
        }
        self.tick(cx)
    }

    fn pause(&self, elapsed: Duration) -> Option<Pause<'_>> {
        let live = self.live.as_ref()?;
        let frame = self.screen.as_ref().and_then(Screen::due);
        live.pause(self.projection.next_deadline(), frame, elapsed)
    }

    fn is_urgent(&self, elapsed: Duration) -> bool {
        self.screen
            .as_ref()
            .is_some_and(|screen| screen.is_urgent(elapsed))
    }

    fn settle(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if let Some(screen) = &mut self.screen {
            let said = cx.findings.lines();
            screen.draw(&self.projection, &mut self.look, cx.elapsed, said, cx.out);
        }
        Ok(())
    }

    fn tick(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(live) = &mut self.live else {
            return Ok(());
        };
        let receipt = live.receipt(cx.elapsed, cx.now);
        self.projection.receive(receipt);
        if self
            .projection
            .next_deadline()
            .is_some_and(|at| at <= receipt.clock)
        {
            self.projection.advance(receipt.clock, &mut self.effects);
            self.tell_consequences(cx);
        }
        if let Some(answer) = self.live.as_mut().and_then(|live| live.tick(cx.elapsed)) {
            self.answer(answer, cx);
        }
        Ok(())
    }

    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure> {
        match Record::parse(line.bytes) {
            Ok(Record::Event(event)) => self.event(&event, &line, cx),
            Ok(Record::Snapshot(fields)) => match SnapshotView::from_fields(&fields) {
                Ok(view) => self.snapshot(&view, &line, cx),
                Err(problem) => cx.report(&line, &problem),
            },
            Ok(Record::Own(_)) => {}
            Err(problem) => cx.report(&line, &problem),
        }
        Ok(())
    }

    fn conclude(&mut self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        if let Some(live) = &mut self.live {
            live.end();
        }
        if let Some(now) = self.now.take() {
            self.projection.advance(now, &mut self.effects);
            self.tell_consequences(cx);
        }
        let said = cx.findings.lines();
        if let Some(screen) = &mut self.screen
            && screen.end(&self.look, said, cx.out)
        {
            return Ok(true);
        }
        Ok(self.closing.write(&self.projection, &self.look, cx.out))
    }

    fn finish(&mut self, cx: &mut Context<'_>) -> Result<Exit, Failure> {
        let Some(state) = self.expect else {
            return Ok(Exit::Done);
        };
        match expect::disappointment(self.projection.children(), state) {
            Some(message) => {
                cx.findings.note(&message);
                Ok(Exit::Findings)
            }
            None => Ok(Exit::Done),
        }
    }
}
