//! Every system call fails once, at every place: what was acknowledged stays, what was not is
//! gone or told, and nothing is ever half there.

use super::disk::Call;
use super::disk::faults::{self, Fault};
use super::*;

#[test]
fn a_full_disk_is_undone_byte_for_byte() {
    for fault in [
        Fault::Fail,
        Fault::Full(1),
        Fault::Full(100),
        Fault::Full(500),
    ] {
        let scratch = Scratch::new();
        scratch.append(1..=3).unwrap();
        let before = scratch.read();
        let mut journal = Journal::open(&scratch.path, Options::default()).unwrap();
        journal.check(&|| false).unwrap();
        faults::plan(Some(Call::Write), 0, fault);
        let error = append(&mut journal, 4..=6).unwrap_err();
        assert!(faults::end() >= 1);
        assert_eq!(error.exit().code(), 74);
        assert!(error.to_string().contains("No space left"), "{error}");
        assert_eq!(scratch.read(), before);
        // The state still knows: the next append is cheap, and goes on where it was.
        faults::bytes_read();
        assert_eq!(scratch.append(4..=4).unwrap(), 4);
        assert!(faults::bytes_read() < 2_000);
        assert_eq!(append(&mut journal, 5..=6).unwrap(), 6);
        assert_eq!(scratch.read(), entries(1..=6));
    }
}

#[test]
fn a_failed_write_beside_a_foreign_one_is_left_as_it_is() {
    let scratch = Scratch::new();
    let mut journal = scratch.open();
    append(&mut journal, 1..=2).unwrap();
    let path = scratch.path.clone();
    let immovable = move || {
        // Another program makes the file longer than its own, so that nothing may be cut.
        let mut content = fs::read(&path).unwrap();
        content.extend_from_slice(b"foreign");
        fs::write(&path, content).unwrap();
    };
    let full = Fault::Before(Box::new(immovable), Box::new(Fault::Full(10)));
    faults::plan(Some(Call::Write), 0, full);
    let error = append(&mut journal, 3..=3).unwrap_err();
    faults::end();
    assert!(matches!(error, JournalError::Foreign { .. }), "{error}");
    assert_eq!(error.exit().code(), 65);
    assert_eq!(
        scratch.read(),
        entries(1..=2) + "foreign" + &entry(3)[..10],
        "left as it is"
    );
    assert!(matches!(
        scratch.append(3..=3),
        Err(JournalError::Damaged { .. })
    ));
}

#[test]
fn a_write_without_the_lock_is_noticed() {
    let scratch = Scratch::new();
    let mut journal = scratch.open();
    append(&mut journal, 1..=2).unwrap();
    let path = scratch.path.clone();
    let foreign = move || fs::write(&path, entries(1..=3)).unwrap();
    let fault = Fault::Before(Box::new(foreign), Box::new(Fault::Nothing));
    faults::plan(Some(Call::Write), 0, fault);
    let error = append(&mut journal, 3..=3).unwrap_err();
    faults::end();
    assert!(matches!(error, JournalError::Foreign { .. }), "{error}");
    assert_eq!(
        scratch.read(),
        entries(1..=3) + &entry(3),
        "nothing is cut away"
    );
}

#[test]
fn short_writes_are_gone_on_with() {
    let scratch = Scratch::new();
    let mut journal = scratch.open();
    for number in 1..=3 {
        faults::plan(Some(Call::Write), 0, Fault::Short(7));
        assert_eq!(append(&mut journal, number..=number).unwrap(), number);
        assert_eq!(faults::end(), 1);
    }
    assert_eq!(scratch.read(), entries(1..=3));
}

#[test]
fn a_lock_that_was_taken_away_is_noticed_before_writing() {
    let scratch = Scratch::new();
    let mut journal = scratch.open();
    append(&mut journal, 1..=2).unwrap();
    // While the holder sleeps (here: before its look), somebody removes its lock by hand.
    let lock = scratch.path.with_extension("jsonl.lock");
    let stolen = move || fs::remove_dir_all(&lock).unwrap();
    let fault = Fault::Before(Box::new(stolen), Box::new(Fault::Nothing));
    faults::plan(Some(Call::Look), 0, fault);
    // It takes the lock anew, and only then writes.
    assert_eq!(append(&mut journal, 3..=3).unwrap(), 3);
    assert_eq!(faults::end(), 1);
    assert_eq!(scratch.read(), entries(1..=3));
    // After writing it is too late: told, not acknowledged.
    let lock = scratch.path.with_extension("jsonl.lock");
    let stolen = move || fs::remove_dir_all(&lock).unwrap();
    let fault = Fault::Before(Box::new(stolen), Box::new(Fault::Nothing));
    faults::plan(Some(Call::Write), 0, fault);
    let error = append(&mut journal, 4..=4).unwrap_err();
    faults::end();
    assert!(
        matches!(error, JournalError::LockLost { written: true, .. }),
        "{error}"
    );
    assert_eq!(error.exit().code(), 75);
    assert_eq!(scratch.append(5..=5).unwrap(), 5);
}

#[test]
fn a_failed_sync_acknowledges_nothing_and_is_not_tried_again() {
    let scratch = Scratch::new();
    let mut journal = Journal::open(&scratch.path, Options::default()).unwrap();
    append(&mut journal, 1..=2).unwrap();
    faults::plan(Some(Call::SyncData), 0, Fault::Fail);
    let error = append(&mut journal, 3..=3).unwrap_err();
    assert_eq!(faults::end(), 1, "tried once");
    assert!(error.to_string().contains("may or may not"), "{error}");
    // Nobody believes the state after that.
    let whole = fs::metadata(&scratch.path).unwrap().len();
    faults::bytes_read();
    assert_eq!(scratch.append(4..=4).unwrap(), 4);
    assert!(faults::bytes_read() >= whole);
}

#[test]
fn any_call_may_fail_at_any_time() {
    for sync in [SyncMode::None, SyncMode::Batch] {
        for nth in 0.. {
            let scratch = Scratch::new();
            let options = Options { sync, ..unsynced() };
            let mut journal = Journal::open(&scratch.path, options).unwrap();
            let mut stored = 0;
            faults::plan(None, nth, Fault::Fail);
            for batch in [1..=2_u64, 3..=3, 4..=6] {
                let count = batch.count() as u64;
                match append(&mut journal, stored + 1..=stored + count) {
                    Ok(last) => {
                        assert_eq!(last, stored + count, "call {nth}");
                        stored = last;
                    }
                    // A sync that failed, or a look after the write: the batch may be there.
                    Err(_) => stored = judge_prefix(&scratch, stored, nth),
                }
            }
            let fired = faults::end();
            let (damage, read) = judge_or_empty(&scratch);
            assert_eq!(damage, [], "call {nth}");
            assert_eq!(read, (1..=stored).collect::<Vec<_>>(), "call {nth}");
            assert_eq!(
                scratch.append(stored + 1..=stored + 1).unwrap(),
                stored + 1,
                "call {nth}"
            );
            assert_eq!(scratch.read(), entries(1..=stored + 1), "call {nth}");
            if fired == 0 {
                assert!(nth > 10, "only {nth} calls");
                break;
            }
        }
    }
}

/// After an append that failed: what is there begins with all that was acknowledged, and is sound.
fn judge_prefix(scratch: &Scratch, acknowledged: u64, nth: u64) -> u64 {
    let (damage, read) = judge_or_empty(scratch);
    assert_eq!(damage, [], "call {nth}");
    assert!(read.len() as u64 >= acknowledged, "call {nth}");
    read.len() as u64
}

fn judge_or_empty(scratch: &Scratch) -> (Vec<Damage>, Vec<u64>) {
    match scratch.path.exists() {
        true => judge(&scratch.path),
        false => (Vec::new(), Vec::new()),
    }
}
