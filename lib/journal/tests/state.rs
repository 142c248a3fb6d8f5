use std::io::{Seek as _, Write as _};
use std::os::unix::fs::{FileExt as _, symlink};

use super::disk::faults::bytes_read;
use super::*;

/// How many bytes of files are read for one append by a new process.
fn read_for_one_append(scratch: &Scratch, number: u64) -> u64 {
    bytes_read();
    assert_eq!(scratch.append(number..=number).unwrap(), number);
    bytes_read()
}

/// What a look by the state costs: the record and the last line, twice (before and under the lock).
const CHEAP: u64 = 2_000;

#[test]
fn an_append_costs_the_same_whatever_the_journal_holds() {
    let scratch = Scratch::with(entries(1..=5_000));
    let whole = fs::metadata(&scratch.path).unwrap().len();
    assert!(read_for_one_append(&scratch, 5_001) >= whole);
    let mut costs: Vec<_> = (5_002..5_010)
        .map(|number| read_for_one_append(&scratch, number))
        .collect();
    costs.dedup();
    assert_eq!(costs.len(), 1, "{costs:?}");
    assert!(costs[0] < CHEAP, "{costs:?}");
    // A process that wrote last reads nothing at all.
    let mut journal = scratch.open();
    append(&mut journal, 5_010..=5_010).unwrap();
    bytes_read();
    append(&mut journal, 5_011..=5_020).unwrap();
    assert_eq!(bytes_read(), 0);
    assert_eq!(judge(&scratch.path).0, []);
}

#[test]
fn a_state_made_under_a_larger_cap_is_not_trusted() {
    let scratch = Scratch::new();
    let long = "x".repeat(300);
    let options = |cap: usize| Options {
        max_line_bytes: std::num::NonZeroUsize::new(cap).unwrap(),
        ..unsynced()
    };
    let with = |cap: usize, line: &str| {
        let mut journal = Journal::open(&scratch.path, options(cap)).unwrap();
        let mut batch = Batch::default();
        let view = EventView::parse(line.as_bytes()).unwrap();
        batch.push(&view, 1, Redaction::On).unwrap();
        journal.append(&mut batch, &|| false).map(|_| ())
    };
    let long = event(1).replace("\"kind\"", &format!("\"x\":\"{long}\",\"kind\""));
    with(100_000, &long).unwrap();
    let before = scratch.read();
    // The verdict is that of a look at the whole file, with the state or without it.
    let with_state = with(300, &event(2)).unwrap_err().exit().code();
    fs::remove_file(scratch.state()).unwrap();
    assert_eq!(with_state, with(300, &event(2)).unwrap_err().exit().code());
    assert_eq!(with_state, 65);
    assert_eq!(scratch.read(), before);
    with(100_000, &event(2)).unwrap();
}

#[test]
fn a_state_that_is_gone_or_corrupt_only_costs_time() {
    let scratch = Scratch::new();
    scratch.append(1..=100).unwrap();
    let whole = fs::metadata(&scratch.path).unwrap().len();
    let good = fs::read(scratch.state()).unwrap();
    let mut number = 100;
    let mut broken: Vec<Vec<u8>> = vec![vec![], vec![0; 112], good[..50].to_vec(), b"{}".to_vec()];
    broken.extend((0..good.len()).map(|at| {
        let mut flipped = good.clone();
        flipped[at] ^= 0x10;
        flipped
    }));
    for bytes in broken {
        fs::write(scratch.state(), bytes).unwrap();
        number += 1;
        assert!(read_for_one_append(&scratch, number) >= whole);
    }
    fs::remove_file(scratch.state()).unwrap();
    number += 1;
    assert!(read_for_one_append(&scratch, number) >= whole);
    number += 1;
    assert!(read_for_one_append(&scratch, number) < CHEAP);
    assert_eq!(judge(&scratch.path), (vec![], (1..=number).collect()));
}

#[test]
fn a_state_that_is_no_file_is_left_alone() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.state()).unwrap();
    assert_eq!(scratch.append(1..=2).unwrap(), 2);
    assert_eq!(scratch.append(3..=3).unwrap(), 3);
    fs::remove_dir(scratch.state()).unwrap();
    let elsewhere = scratch.path.with_extension("precious");
    fs::write(&elsewhere, "precious").unwrap();
    symlink(&elsewhere, scratch.state()).unwrap();
    assert_eq!(scratch.append(4..=4).unwrap(), 4);
    assert_eq!(fs::read_to_string(elsewhere).unwrap(), "precious");
}

#[test]
fn growth_by_others_is_judged_from_where_it_begins() {
    let scratch = Scratch::new();
    scratch.append(1..=1_000).unwrap();
    let whole = fs::metadata(&scratch.path).unwrap().len();
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(&scratch.path)
        .unwrap();
    file.write_all(entries(1_001..=1_010).as_bytes()).unwrap();
    assert!(read_for_one_append(&scratch, 1_011) < whole / 10);
    assert_eq!(judge(&scratch.path), (vec![], (1..=1_011).collect()));
    file.write_all(b"x\n").unwrap();
    let error = scratch.append([1]).unwrap_err();
    let JournalError::Damaged { damage, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(damage.line, 1_012);
    assert_eq!(damage.offset, entries(1..=1_011).len() as u64);
}

#[test]
fn a_file_that_is_not_what_the_state_knew_is_judged_whole() {
    // Another file under the name; a shorter one; the same length, but changed within.
    let changes: [fn(&Scratch); 4] = [
        |scratch| {
            let other = scratch.path.with_extension("other");
            fs::write(&other, scratch.read()).unwrap();
            fs::rename(other, &scratch.path).unwrap();
        },
        |scratch| {
            let file = fs::OpenOptions::new()
                .write(true)
                .open(&scratch.path)
                .unwrap();
            file.set_len(entries(1..=50).len() as u64).unwrap();
        },
        |scratch| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            let file = fs::OpenOptions::new()
                .write(true)
                .open(&scratch.path)
                .unwrap();
            file.write_all_at(b"{\"schemaVersion\":1", 0).unwrap();
        },
        |scratch| {
            // Shorter, then longer again than it was: the last line is not where it was.
            let mut file = fs::OpenOptions::new()
                .write(true)
                .open(&scratch.path)
                .unwrap();
            file.set_len(entries(1..=50).len() as u64).unwrap();
            file.seek(std::io::SeekFrom::End(0)).unwrap();
            let longer = entries(51..=120).replace("\"a\"", "\"abc\"");
            file.write_all(longer.as_bytes()).unwrap();
        },
    ];
    for change in changes {
        let scratch = Scratch::new();
        scratch.append(1..=100).unwrap();
        change(&scratch);
        let (damage, read) = judge(&scratch.path);
        assert_eq!(damage, []);
        let next = read.len() as u64 + 1;
        let whole = fs::metadata(&scratch.path).unwrap().len();
        assert!(read_for_one_append(&scratch, next) >= whole);
        assert_eq!(judge(&scratch.path).0, []);
    }
}

#[test]
fn damage_inside_a_file_of_the_same_length_is_seen() {
    let scratch = Scratch::new();
    let mut journal = scratch.open();
    append(&mut journal, 1..=10).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    let file = fs::OpenOptions::new()
        .write(true)
        .open(&scratch.path)
        .unwrap();
    file.write_all_at(b"X", 0).unwrap();
    assert!(matches!(
        append(&mut journal, 11..=11),
        Err(JournalError::Damaged { .. })
    ));
    assert!(matches!(
        scratch.append(11..=11),
        Err(JournalError::Damaged { .. })
    ));
}

#[test]
fn full_replay_asks_the_file_alone() {
    let scratch = Scratch::new();
    scratch.append(1..=100).unwrap();
    let whole = fs::metadata(&scratch.path).unwrap().len();
    let options = Options {
        full_replay: true,
        ..unsynced()
    };
    bytes_read();
    let mut journal = Journal::open(&scratch.path, options).unwrap();
    assert_eq!(journal.check(&|| false).unwrap(), 100);
    assert!(bytes_read() >= whole);
}
