//! `lcjournal replay`: the entries, as they are stored or as the events they were.

use lctools::exit::{Exit, Failure};
use lctools::journal::damage::{Damage, Entry};
use lctools::journal::{JournalError, Judged};
use lctools::line::Line;
use lctools::pump::{Context, Source, pour};

use crate::cli::ReplayArgs;
use crate::common::{self, Reading};

pub(crate) fn run(args: ReplayArgs) -> Exit {
    let settings = common::pour_settings(args.findings.options(false));
    let mut replay = Replay {
        args,
        reading: None,
        damage: None,
    };
    pour(settings, &mut replay)
}

struct Replay {
    args: ReplayArgs,
    reading: Option<Reading>,
    damage: Option<Damage>,
}

impl Source for Replay {
    fn pour(&mut self, cx: &mut Context<'_>) -> Result<Option<Exit>, Failure> {
        let more = self
            .step(cx)
            .map_err(|error| common::failure(&error, "", cx))?;
        Ok((!more).then_some(Exit::Done))
    }
}

impl Replay {
    /// A read's worth; false at the end.
    fn step(&mut self, cx: &mut Context<'_>) -> Result<bool, JournalError> {
        let args = &self.args;
        let reading = match &mut self.reading {
            Some(reading) => reading,
            none => none.insert(Reading::open(&args.path, args.cap, args.lock)?),
        };
        let damage = &mut self.damage;
        let mut gathered = std::mem::take(cx.out);
        let more = reading.advance(cx, &mut |line, judged| {
            one(args, line, judged, damage, &mut gathered);
        });
        *cx.out = gathered;
        match self.damage.take() {
            Some(damage) => Err(reading.damaged(damage, args.cap, cx)),
            None => more,
        }
    }
}

/// Writes an entry that is asked for, until there is damage.
fn one(
    args: &ReplayArgs,
    line: &Line<'_>,
    judged: Judged<'_>,
    damage: &mut Option<Damage>,
    out: &mut Vec<u8>,
) {
    if damage.is_some() {
        return;
    }
    match judged {
        Err(problem) => *damage = Some(Damage::at(line, problem)),
        Ok(Entry {
            wrong_number: Some(problem),
            ..
        }) => *damage = Some(Damage::at(line, problem)),
        Ok(entry) if is_asked_for(args, &entry) => {
            if args.events {
                let (before, after) = entry.event.without_journal_sequence();
                out.extend_from_slice(before.as_bytes());
                out.extend_from_slice(after.as_bytes());
            } else {
                out.extend_from_slice(line.bytes);
            }
            out.push(b'\n');
        }
        Ok(_) => {}
    }
}

fn is_asked_for(args: &ReplayArgs, entry: &Entry<'_>) -> bool {
    let event = &entry.event;
    args.from.is_none_or(|from| entry.sequence >= from)
        && args.to.is_none_or(|to| entry.sequence <= to)
        && args
            .child
            .as_deref()
            .is_none_or(|child| event.child_id == child)
        && args
            .source
            .as_deref()
            .is_none_or(|source| event.source == source)
        && args.kind.is_none_or(|kind| event.kind == kind)
}
