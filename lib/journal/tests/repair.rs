//! Repair: whatever fails, and wherever a journal was cut, no entry is lost and nothing that was
//! taken out is either.

use super::disk::Call;
use super::disk::faults::{self, Fault};
use super::*;

const DROP: RepairOptions = RepairOptions {
    dry_run: false,
    drop_damaged: true,
};

fn repair(scratch: &Scratch, options: RepairOptions) -> Result<Repaired, JournalError> {
    scratch.open().repair(options, &|| false)
}

/// What is in the files `PATH.damaged-N`, by N.
fn asides(scratch: &Scratch) -> Vec<Vec<u8>> {
    let name = |number| {
        scratch
            .path
            .with_extension(format!("jsonl.damaged-{number}"))
    };
    (1..)
        .map_while(|number| fs::read(name(number)).ok())
        .collect()
}

/// Damaged journals; what they are once they are mended, and what was taken out.
fn patients() -> Vec<(Vec<u8>, String, Vec<u8>)> {
    let good = entries(1..=3);
    let joined = |parts: &[&[u8]]| parts.concat();
    vec![
        (
            joined(&[good.as_bytes(), &entry(4).as_bytes()[..90]]),
            good.clone(),
            entry(4).as_bytes()[..90].to_vec(),
        ),
        (entries(1..=4).trim_end().into(), entries(1..=4), Vec::new()),
        (
            joined(&[good.as_bytes(), b"junk\n", entries(5..=6).as_bytes()]),
            good.clone() + &renumber(5, 4) + &renumber(6, 5),
            b"junk\n".to_vec(),
        ),
    ]
}

/// The entry of one number with another.
fn renumber(from: u64, to: u64) -> String {
    let last = |number: u64| format!("\"journalSequence\":{number}}}");
    entry(from).replace(&last(from), &last(to))
}

#[test]
fn any_call_of_a_repair_may_fail() {
    let mut faults_met = 0;
    for (damaged, mended, taken_out) in patients() {
        for nth in 0.. {
            let scratch = Scratch::with(&damaged);
            let mut journal = scratch.open();
            faults::plan(None, nth, Fault::Fail);
            let repaired = journal.repair(DROP, &|| false);
            let fired = faults::end();
            let now = fs::read(&scratch.path).unwrap();
            assert!(
                now == damaged || now == mended.as_bytes(),
                "call {nth}: {}",
                String::from_utf8_lossy(&now)
            );
            if repaired.is_ok() {
                assert_eq!(now, mended.as_bytes(), "call {nth}");
            }
            // The journal that failed, and another one, find their way.
            journal.repair(DROP, &|| false).unwrap();
            assert_eq!(scratch.read(), mended, "call {nth}");
            assert!(
                taken_out.is_empty() || asides(&scratch).contains(&taken_out),
                "call {nth}"
            );
            let last = judge(&scratch.path).1.len() as u64;
            assert_eq!(scratch.append(9..=9).unwrap(), last + 1);
            if fired == 0 {
                break;
            }
            faults_met += 1;
        }
    }
    assert!(faults_met > 30, "{faults_met}");
}

#[test]
fn a_disk_that_is_full_in_the_middle_of_a_repair_changes_nothing() {
    for (damaged, ..) in patients() {
        let scratch = Scratch::with(&damaged);
        faults::plan(Some(Call::Write), 0, Fault::Full(1));
        let error = match repair(&scratch, DROP) {
            Err(error) => error,
            // A line that was only ended needed but one byte.
            Ok(_) => continue,
        };
        faults::end();
        assert_eq!(error.exit().code(), 74);
        assert_eq!(fs::read(&scratch.path).unwrap(), damaged);
        assert_eq!(asides(&scratch), [b""; 0], "nothing half is left");
        let names = fs::read_dir(scratch.path.parent().unwrap()).unwrap();
        assert_eq!(names.count(), 1);
    }
    faults::end();
}

#[test]
fn a_writer_that_ignores_the_lock_stops_a_repair() {
    for (damaged, ..) in patients() {
        for call in [Call::SyncAll, Call::Write] {
            let scratch = Scratch::with(&damaged);
            let path = scratch.path.clone();
            let foreign = move || {
                let mut content = fs::read(&path).unwrap();
                content.extend_from_slice(b"foreign");
                fs::write(&path, content).unwrap();
            };
            let fault = Fault::Before(Box::new(foreign), Box::new(Fault::Nothing));
            faults::plan(Some(call), 0, fault);
            let answer = repair(&scratch, DROP);
            if faults::end() > 0 && !damaged.ends_with(b"}") {
                assert!(matches!(answer, Err(JournalError::Foreign { .. })));
                assert_eq!(
                    fs::read(&scratch.path).unwrap(),
                    [&damaged[..], b"foreign"].concat()
                );
            }
        }
    }
}

#[test]
fn a_second_repair_has_nothing_to_do() {
    for (damaged, mended, _) in patients() {
        let scratch = Scratch::with(&damaged);
        let dry = RepairOptions {
            dry_run: true,
            ..DROP
        };
        let announced = repair(&scratch, dry).unwrap();
        assert_eq!(fs::read(&scratch.path).unwrap(), damaged);
        let done = repair(&scratch, DROP).unwrap();
        assert_eq!(done.survey.remedy, announced.survey.remedy);
        assert_eq!(scratch.read(), mended);
        let again = repair(&scratch, DROP).unwrap();
        assert_eq!(again.survey.remedy, Remedy::None);
        assert!(asides(&scratch).len() <= 1);
    }
}

/// A journal of fifty entries, cut after so many bytes: what verify, append and repair do.
fn cut(whole: &str, at: usize) {
    let ends = whole.match_indices('\n').map(|(end, _)| end + 1);
    let ends: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let kept = ends.iter().rposition(|end| *end <= at).unwrap();
    // All of a line but its LF is an entry.
    let unended = ends.get(kept + 1).is_some_and(|end| *end == at + 1);
    let (clean, begin) = (ends[kept] == at, ends[kept]);
    let scratch = Scratch::with(&whole[..at]);

    let (damage, read) = judge(&scratch.path);
    assert_eq!(read, (1..=kept as u64).collect::<Vec<_>>(), "cut at {at}");
    if clean {
        assert_eq!(damage, [], "cut at {at}");
    } else {
        assert_eq!(damage.len(), 1, "cut at {at}");
        assert_eq!(damage[0].problem.code, Code::TruncatedLine);
        assert_eq!(
            (damage[0].line, damage[0].offset),
            (kept as u64 + 1, begin as u64)
        );
        let refused = scratch.append(51..=51).unwrap_err();
        assert_eq!(refused.exit().code(), 65, "cut at {at}");
        let said = refused.to_string();
        let next = if unended {
            "ends the line"
        } else {
            "moves the damaged end aside"
        };
        assert!(
            said.contains("lcjournal repair ") && said.ends_with(next),
            "{said}"
        );
        assert_eq!(scratch.read(), whole[..at], "a refusal changes nothing");
    }

    let repaired = repair(&scratch, RepairOptions::default()).unwrap();
    let entries = kept + usize::from(unended);
    assert_eq!(repaired.survey.entries, entries as u64, "cut at {at}");
    assert_eq!(scratch.read(), whole[..ends[entries]], "cut at {at}");
    match asides(&scratch).as_slice() {
        [] => assert!(clean || unended, "cut at {at}"),
        [aside] => assert_eq!(aside, &whole.as_bytes()[begin..at], "cut at {at}"),
        _ => panic!("cut at {at}"),
    }
    assert_eq!(
        scratch.append(51..=51).unwrap(),
        entries as u64 + 1,
        "cut at {at}"
    );
    assert!(
        scratch.read().starts_with(&whole[..ends[entries]]),
        "cut at {at}"
    );
}

#[test]
fn cut_here_and_there() {
    let whole = entries(1..=50);
    let last = whole.len() - entry(50).len() - 2;
    // Every byte of an entry, at a place that wanders through the journal; and all of the last.
    (0..last)
        .step_by(97)
        .chain(last..=whole.len())
        .for_each(|at| cut(&whole, at));
}

/// The whole of it: `make crash`.
#[test]
#[ignore = "long"]
fn cut_at_every_byte() {
    let whole = entries(1..=50);
    (0..=whole.len()).for_each(|at| cut(&whole, at));
    let mut out = std::io::stderr();
    let _ = std::io::Write::write_all(
        &mut out,
        format!(
            "crash cut: {} cuts of a journal of 50 entries, {} bytes; 0 entries lost\n",
            whole.len() + 1,
            whole.len()
        )
        .as_bytes(),
    );
}
