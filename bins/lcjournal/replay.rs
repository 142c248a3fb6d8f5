//! `lcjournal replay`: the entries, as they are stored or as the events they were.

use lctools::exit::{Exit, Failure};
use lctools::journal::damage::{Damage, Entry};
use lctools::journal::{JournalError, Judged};
use lctools::line::Line;
use lctools::pump::{Context, Pause, Source, pour};

use crate::cli::{FollowBy, ReplayArgs};
use crate::common::{self, Reading};
use crate::follow::{Follow, Followed};

pub(crate) fn run(args: ReplayArgs) -> Exit {
    let settings = common::pour_settings(args.findings.options(false));
    let mut replay = Replay {
        args,
        reading: None,
        following: None,
    };
    pour(settings, &mut replay)
}

struct Replay {
    args: ReplayArgs,
    reading: Option<Reading>,
    following: Option<Follow>,
}

impl Source for Replay {
    fn pour(&mut self, cx: &mut Context<'_>) -> Result<Option<Exit>, Failure> {
        let done = match self.args.follow {
            Some(by) => self.follow(by, cx),
            None => self.step(cx).map(|more| (!more).then_some(None)),
        };
        match done.map_err(|error| common::failure(&error, "", cx))? {
            None => Ok(None),
            Some(None) => Ok(Some(Exit::Done)),
            Some(Some(what)) => {
                let message = format_args!("{} {what}", self.args.path.display());
                Err(Failure::message(Exit::Findings, message))
            }
        }
    }

    fn pause(&self) -> Option<Pause<'_>> {
        self.following.as_ref().and_then(Follow::pause)
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
        let mut told = Told::default();
        let mut gathered = std::mem::take(cx.out);
        let more = reading.advance(cx, &mut |line, judged| {
            one(args, line, judged, &mut told, &mut gathered);
        });
        *cx.out = gathered;
        match told.damage {
            Some(damage) => Err(reading.damaged(damage, args.cap, cx)),
            None => more,
        }
    }

    /// The same for a journal that is followed: what ended it, if something did.
    fn follow(
        &mut self,
        by: FollowBy,
        cx: &mut Context<'_>,
    ) -> Result<Option<Option<&'static str>>, JournalError> {
        let args = &self.args;
        let new = || Follow::new(&args.path, by, args.cap);
        let following = self.following.get_or_insert_with(new);
        let (before, mark) = (following.place(), cx.out.len());
        let mut told = Told::default();
        let mut gathered = std::mem::take(cx.out);
        let followed = following.step(cx, &mut |line, judged| {
            one(args, line, judged, &mut told, &mut gathered);
        });
        *cx.out = gathered;
        if let Some(damage) = told.damage {
            return match following.confirm(before, cx)? {
                Some(remedy) => Err(JournalError::Damaged {
                    name: args.path.display().to_string(),
                    damage,
                    remedy,
                }),
                None => {
                    cx.out.truncate(mark);
                    Ok(None)
                }
            };
        }
        Ok(match followed? {
            Followed::Ended(what) => Some(Some(what)),
            _ if told.last_asked_for => Some(None),
            Followed::More | Followed::Idle => None,
        })
    }
}

/// What came of the lines of one read.
#[derive(Default)]
struct Told {
    damage: Option<Damage>,
    /// The last entry that is asked for (`--to`) has come.
    last_asked_for: bool,
}

/// Writes an entry that is asked for, until there is damage.
fn one(args: &ReplayArgs, line: &Line<'_>, judged: Judged<'_>, told: &mut Told, out: &mut Vec<u8>) {
    if told.damage.is_some() {
        return;
    }
    if let Ok(entry) = &judged {
        told.last_asked_for |= args.to.is_some_and(|to| entry.sequence >= to);
    }
    match judged {
        Err(problem) => told.damage = Some(Damage::at(line, problem)),
        Ok(Entry {
            wrong_number: Some(problem),
            ..
        }) => told.damage = Some(Damage::at(line, problem)),
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
