//! Anything at all into the four places where foreign bytes come in: the line reader, the event,
//! the journal, the translation of EvoScientist's stream. What is fed are real lines and journals
//! with some bytes changed, so that most of it gets past the first check.
//!
//! `cargo test` tries some; `make fuzz T=60` each for so many seconds and 100,000 cases at least.

use std::fs;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use lctools::event::EventView;
use lctools::journal::{Bounds, Journal, Options, Place, Remedy, RepairOptions, SyncMode, Walk};
use lctools::line::Lines;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::harness::{self, code, say, text};

/// One change of some bytes.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Insert(usize, &'static [u8]),
    Remove(usize, usize),
    Repeat(usize, usize),
    Cut(usize),
}

/// What has meaning somewhere.
const TOKENS: [&[u8]; 20] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b",",
    b":",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"NaN",
    b"1e999",
    b"-0",
    b"\\ud800",
    b"null",
    b"{\"schemaVersion\":1,",
    b"  ",
];

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len().max(1);
        match *self {
            Change::Set(at, byte) => {
                if let Some(found) = bytes.get_mut(at % length) {
                    *found = byte;
                }
            }
            Change::Insert(at, token) => {
                let at = at % length.min(bytes.len() + 1);
                bytes.splice(at..at, token.iter().copied());
            }
            Change::Remove(at, count) => {
                let at = (at % length).min(bytes.len());
                bytes.drain(at..(at + count).min(bytes.len()));
            }
            Change::Repeat(at, count) => {
                let at = (at % length).min(bytes.len());
                let piece = bytes[at..(at + count).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            Change::Cut(at) => bytes.truncate(at % length),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<usize>();
    prop_oneof![
        (at, any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (at, proptest::sample::select(&TOKENS[..])).prop_map(|(at, it)| Change::Insert(at, it)),
        (at, 1..80_usize).prop_map(|(at, count)| Change::Remove(at, count)),
        (at, 1..400_usize).prop_map(|(at, count)| Change::Repeat(at, count)),
        at.prop_map(Change::Cut),
    ]
}

/// One of these, changed.
fn changed(corpus: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let changes = proptest::collection::vec(change(), 0..5);
    (proptest::sample::select(corpus), changes).prop_map(|(mut bytes, changes)| {
        changes.iter().for_each(|change| change.apply(&mut bytes));
        bytes
    })
}

/// Tries until the time is over, and 100,000 cases at least; without LC_FUZZ_SECONDS only some.
fn try_all<S: Strategy>(
    name: &str,
    few: u32,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let seconds = std::env::var("LC_FUZZ_SECONDS").ok();
    let seconds: Option<u64> = seconds.and_then(|text| text.parse().ok());
    let (end, least) = match seconds {
        Some(seconds) => (Instant::now() + Duration::from_secs(seconds), 100_000),
        None => (Instant::now(), 0),
    };
    let mut tried = 0;
    loop {
        let config = Config {
            cases: few,
            failure_persistence: None,
            ..Config::default()
        };
        let mut runner = TestRunner::new(config);
        if let Err(error) = runner.run(strategy, &test) {
            panic!("{name}: {error}");
        }
        tried += few;
        if Instant::now() >= end && tried >= least {
            break;
        }
    }
    say(&format!("fuzz {name}: {tried} cases, none failed"));
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(harness::root().join("tests/fixtures").join(name)).unwrap()
}

/// Every line of the shipped streams.
fn native_lines() -> Vec<Vec<u8>> {
    let folder = harness::root().join("tests/fixtures/evosci");
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read(entry.unwrap().path()).unwrap();
        lines.extend(text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
    }
    lines.retain(|line| !line.is_empty() && line.len() < 20_000);
    lines
}

fn journals() -> Vec<Vec<u8>> {
    let six = fixture("journal/six.jsonl");
    vec![
        six[..six.len() / 2].to_vec(),
        [&six[..], &[0; 700], &six].concat(),
        [b"\n \r\n".as_slice(), &six].concat(),
        six,
    ]
}

#[test]
fn the_line_reader_takes_anything() {
    let strategy = (changed(journals()), 1..300_usize, 1..100_usize);
    try_all("line reader", 500, &strategy, |(stream, cap, chunk)| {
        let mut lines = Lines::new(NonZeroUsize::new(cap).unwrap());
        let (mut rest, mut numbers, mut next_offset) = (&stream[..], 0, 0);
        loop {
            while let Some(line) = lines.next_line() {
                numbers += 1;
                prop_assert_eq!(line.number, numbers);
                prop_assert_eq!(line.offset, next_offset);
                prop_assert!(line.bytes.len() <= cap && !line.bytes.contains(&b'\n'));
                next_offset = lines.position();
            }
            if rest.is_empty() {
                break;
            }
            let space = lines.space();
            let count = chunk.min(rest.len()).min(space.len());
            space[..count].copy_from_slice(&rest[..count]);
            lines.filled(count);
            rest = &rest[count..];
        }
        let _ = lines.last_line();
        prop_assert_eq!(lines.position(), stream.len() as u64);
        Ok(())
    });
}

#[test]
fn the_event_takes_anything() {
    let six = fixture("journal/six.jsonl");
    let lines = six
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    try_all("event", 1_000, &changed(lines), |line| {
        let Ok(event) = EventView::parse(&line) else {
            return Ok(());
        };
        prop_assert!(serde_json::from_slice::<serde::de::IgnoredAny>(&line).is_ok());
        let (before, after) = event.without_journal_sequence();
        let without = format!("{before}{after}");
        let again = EventView::parse(without.as_bytes());
        prop_assert!(again.is_ok_and(|again| again.journal_sequence().is_none()));
        Ok(())
    });
}

#[test]
fn the_journal_takes_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j.jsonl");
    let turns = std::cell::Cell::new(0_u32);
    try_all("journal", 300, &changed(journals()), |content| {
        fs::write(&path, &content).unwrap();
        let file = fs::File::open(&path).unwrap();
        let cap = Options::default().max_line_bytes;
        let mut walk = Walk::new(file, Place::default(), cap);
        let (mut entries, mut damaged) = (0, 0);
        let mut each =
            |_: &lctools::line::Line<'_>, judged: lctools::journal::Judged<'_>| match judged {
                Ok(entry) => {
                    entries += 1;
                    damaged += u64::from(entry.wrong_number.is_some());
                }
                Err(_) => damaged += 1,
            };
        while walk.advance(&mut each).unwrap() {}
        walk.finish(&mut each);
        prop_assert_eq!(walk.place().offset, content.len() as u64);
        // Mending is for few: it brings what it writes to the disk.
        turns.set(turns.get() + 1);
        if turns.get().is_multiple_of(100) {
            mended(&path, entries, damaged)?;
        }
        Ok(())
    });
}

/// Whatever the damage: after a repair the journal is sound, with all of its entries.
fn mended(path: &std::path::Path, entries: u64, damaged: u64) -> Result<(), TestCaseError> {
    let options = Options {
        sync: SyncMode::None,
        ..Options::default()
    };
    let mut journal = Journal::open(path, options).unwrap();
    let drop = RepairOptions {
        drop_damaged: true,
        ..RepairOptions::default()
    };
    let repaired = journal.repair(drop, &|| false).unwrap();
    prop_assert_eq!(repaired.survey.remedy == Remedy::None, damaged == 0);
    // But for an entry that was written twice.
    let kept = repaired.survey.entries + repaired.survey.saved;
    prop_assert!(kept + damaged >= entries, "{} of {}", kept, entries);
    prop_assert_eq!(journal.check(&|| false).unwrap(), kept);
    if let Some(aside) = repaired.aside {
        fs::remove_file(aside).unwrap();
    }
    let file = fs::File::open(path).unwrap();
    prop_assert!(Bounds::find(&file, 0, 1).unwrap().is_none());
    Ok(())
}

#[test]
fn the_translation_takes_anything() {
    let lines = proptest::collection::vec(changed(native_lines()), 200);
    // Two hundred lines are one run of the program.
    let tried = std::cell::Cell::new(0_u64);
    let seconds = std::env::var("LC_FUZZ_SECONDS").ok();
    let seconds: u64 = seconds.and_then(|text| text.parse().ok()).unwrap_or(0);
    let least = if seconds > 0 { 100_000 } else { 0 };
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let config = Config {
            cases: 5,
            failure_persistence: None,
            ..Config::default()
        };
        let test = |lines: Vec<Vec<u8>>| {
            tried.set(tried.get() + lines.len() as u64);
            translated(&lines.join(&b'\n'))
        };
        if let Err(error) = TestRunner::new(config).run(&lines, test) {
            panic!("translation: {error}");
        }
        if Instant::now() >= end && tried.get() >= least {
            break;
        }
    }
    say(&format!(
        "fuzz translation: {} lines, none failed",
        tried.get()
    ));
}

/// Any stream ends with 0 or 1 and gives events of the contract only.
fn translated(stream: &[u8]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), stream).unwrap();
    let output = harness::run(
        "evosci2lc --fixed-clock 2026-08-24T09:00:00Z in",
        folder.path(),
    );
    let status = code(output.status);
    prop_assert!(
        status == 0 || status == 1,
        "{}: {}",
        status,
        text(&output.stderr)
    );
    for line in output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        if let Err(problem) = EventView::parse(line) {
            let mut out = std::io::stderr();
            let _ = out.write_all(line);
            prop_assert!(false, "{:?}", problem);
        }
    }
    Ok(())
}
