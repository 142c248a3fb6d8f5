use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn echo(batch: &Batch) -> String {
    let mut out = Vec::new();
    batch.echo(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn entries_get_their_numbers_and_are_echoed_in_their_place() {
    let scratch = Scratch::new();
    let mut journal = scratch.open();
    assert_eq!(journal.check(&|| false).unwrap(), 0);
    assert!(
        !scratch.path.exists(),
        "nothing is made before there is something to store"
    );
    let mut batch = batch(1..=1);
    batch.pass(b"{\"type\":\"progress\"}");
    let two = event(2);
    batch
        .push(&EventView::parse(two.as_bytes()).unwrap(), 3, Redaction::On)
        .unwrap();
    assert_eq!(batch.entries(), 2);
    let committed = journal.append(&mut batch, &|| false).unwrap();
    assert_eq!((committed.entries, committed.last_sequence), (2, 2));
    assert_eq!(batch.last_line_stored(), Some(3));
    assert_eq!(
        echo(&batch),
        entry(1) + "{\"type\":\"progress\"}\n" + &entry(2)
    );
    assert_eq!(scratch.read(), entries(1..=2));
    for file in [&scratch.path, &scratch.state()] {
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o7777,
            0o600
        );
    }
    assert_eq!(append(&mut journal, 3..=3).unwrap(), 3);
    assert_eq!(scratch.append(4..=5).unwrap(), 5);
    assert_eq!(append(&mut journal, 6..=6).unwrap(), 6);
    assert_eq!(scratch.read(), entries(1..=6));
}

#[test]
fn the_stored_line_is_the_line_as_read_with_the_number_last() {
    let plain = event(1);
    let stem = plain.strip_suffix('}').unwrap();
    let stored = [
        (
            format!("{plain} \t"),
            format!("{stem},\"journalSequence\":1}}\n"),
        ),
        (
            format!(" {stem} }}"),
            format!(" {stem} ,\"journalSequence\":1}}\n"),
        ),
        (
            format!("{stem},\"journalSequence\":77}}"),
            format!("{stem},\"journalSequence\":1}}\n"),
        ),
        (
            plain.replacen('{', "{\"journalSequence\" : \"x\" , ", 1),
            format!("{{ {},\"journalSequence\":1}}\n", &stem[1..]),
        ),
        (
            plain.replacen("\"kind\"", "\"n\":1.0e0,\"kind\"", 1),
            format!(
                "{},\"journalSequence\":1}}\n",
                stem.replacen("\"kind\"", "\"n\":1.0e0,\"kind\"", 1)
            ),
        ),
    ];
    for (read, expected) in stored {
        let scratch = Scratch::new();
        let mut batch = Batch::default();
        batch
            .push(
                &EventView::parse(read.as_bytes()).unwrap(),
                1,
                Redaction::On,
            )
            .unwrap();
        scratch.open().append(&mut batch, &|| false).unwrap();
        assert_eq!(scratch.read(), expected, "{read}");
        assert_eq!(judge(&scratch.path).0, []);
    }
}

#[test]
fn secrets_are_redacted_and_every_other_byte_is_kept() {
    let secret = event(1)
        .replace(
            "\"activity\":\"a\"",
            "\"activity\":\"Bearer hunter2hunter2 \\u00e9\"",
        )
        .replace(
            "\"kind\"",
            "\"details\": {\"n\":1.0,\"password\":\"hunter2\"} ,\"kind\"",
        )
        .replace(
            "\"sourceEpoch\"",
            "\"x-cookie\" :[\"hunter2\"],\"tokens\":7,\"sourceEpoch\"",
        );
    let expected = event(1)
        .replace(
            "\"activity\":\"a\"",
            "\"activity\":\"Bearer [REDACTED] \u{e9}\"",
        )
        .replace(
            "\"kind\"",
            "\"details\": {\"n\":1.0,\"password\":\"[REDACTED]\"} ,\"kind\"",
        )
        .replace(
            "\"sourceEpoch\"",
            "\"x-cookie\" :\"[REDACTED]\",\"tokens\":7,\"sourceEpoch\"",
        );
    for (redaction, expected) in [(Redaction::On, &expected), (Redaction::Off, &secret)] {
        let scratch = Scratch::new();
        let mut batch = Batch::default();
        batch
            .push(&EventView::parse(secret.as_bytes()).unwrap(), 1, redaction)
            .unwrap();
        scratch.open().append(&mut batch, &|| false).unwrap();
        let stem = expected.strip_suffix('}').unwrap();
        assert_eq!(scratch.read(), format!("{stem},\"journalSequence\":1}}\n"));
    }
}

#[test]
fn what_the_contract_does_not_know_is_covered_wherever_it_stands() {
    let key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let secret = event(1)
        .replace("\"external\"", "\"apiKey\":\"hunter2\",\"external\"")
        .replace(
            "\"kind\"",
            "\"capabilities\":{\"token\":\"hunter2\",\"cancel\":\"known\"},\"kind\"",
        )
        .replace(
            "\"sourceEpoch\"",
            &format!("\"{key}\":1,\"{key}0\":{{\"n\":1.0}},\"sourceEpoch\""),
        );
    assert!(secret.contains("apiKey"), "{secret}");
    let scratch = Scratch::new();
    let mut batch = Batch::default();
    batch
        .push(
            &EventView::parse(secret.as_bytes()).unwrap(),
            1,
            Redaction::On,
        )
        .unwrap();
    scratch.open().append(&mut batch, &|| false).unwrap();
    let stored = scratch.read();
    assert!(
        !stored.contains("hunter2") && !stored.contains("ghp_"),
        "{stored}"
    );
    assert!(
        stored.contains("\"[REDACTED]\":1,\"[REDACTED] 2\":{\"n\":1.0}"),
        "{stored}"
    );
    assert!(stored.contains("\"cancel\":\"known\""), "{stored}");
    assert_eq!(judge(&scratch.path).0, []);
}

#[test]
fn an_event_that_is_too_long_with_its_number_is_left_out_and_told() {
    let scratch = Scratch::new();
    let long = |length: usize| {
        let fill = length - entry(1).len() + 1;
        event(1).replacen("\"a\"", &format!("\"a{}\"", "a".repeat(fill)), 1)
    };
    let mut batch = Batch::default();
    let lines = [long(MAX_EVENT_BYTES), long(MAX_EVENT_BYTES + 1), event(2)];
    for (index, line) in lines.iter().enumerate() {
        let event = EventView::parse(line.as_bytes()).unwrap();
        batch.push(&event, index as u64 + 1, Redaction::On).unwrap();
    }
    let committed = scratch.open().append(&mut batch, &|| false).unwrap();
    assert_eq!((committed.entries, committed.last_sequence), (2, 2));
    assert_eq!(committed.rejected.len(), 1);
    assert_eq!(committed.rejected[0].line, 2);
    assert_eq!(committed.rejected[0].problem.code, Code::OversizedLine);
    assert_eq!(committed.rejected[0].text, lines[1].as_bytes());
    assert_eq!(echo(&batch), scratch.read());
    assert_eq!(judge(&scratch.path), (vec![], vec![1, 2]));
}

#[test]
fn a_batch_is_full_at_its_limit() {
    assert!(!batch(1..=1).is_full());
    let mut one = Batch::with_limit(1);
    assert!(!one.is_full());
    one.pass(b"x");
    assert!(one.is_full());
    one.clear();
    assert!(one.is_empty() && !one.is_full() && echo(&one).is_empty());
}

#[test]
fn a_damaged_journal_takes_no_entries() {
    let content = entries(1..=2) + &entry(3)[..20];
    let scratch = Scratch::with(&content);
    let mut journal = scratch.open();
    let error = journal.check(&|| false).unwrap_err();
    let said = error.to_string();
    for part in [
        "line 3",
        &format!("byte {}", entries(1..=2).len()),
        "truncated_line",
        "lcjournal repair",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(matches!(
        append(&mut journal, 3..=3),
        Err(JournalError::Damaged { .. })
    ));
    assert_eq!(scratch.read(), content);
    assert_eq!(error.exit().code(), 65);
}

#[test]
fn links_are_followed_and_what_is_no_file_is_refused() {
    let scratch = Scratch::new();
    let folder = scratch.path.parent().unwrap();
    fs::create_dir(folder.join("real")).unwrap();
    symlink("real/journal", folder.join("link")).unwrap();
    symlink("link", folder.join("link2")).unwrap();
    for number in 1..=2 {
        let mut journal = Journal::open(&folder.join("link2"), unsynced()).unwrap();
        append(&mut journal, number..=number).unwrap();
    }
    assert_eq!(
        fs::read_to_string(folder.join("real/journal")).unwrap(),
        entries(1..=2)
    );
    assert!(folder.join("real/journal.state").exists());
    symlink("loop", folder.join("loop")).unwrap();
    let exit = |name: &str| {
        Journal::open(&folder.join(name), unsynced())
            .unwrap_err()
            .exit()
            .code()
    };
    assert_eq!(exit("loop"), 74);
    assert_eq!(exit("nowhere/j"), 74);
    assert_eq!(exit("real"), 2);
    assert_eq!(exit("new/"), 2);
    assert_eq!(exit(".."), 2);
    assert_eq!(
        Journal::open(Path::new("/dev/null"), unsynced())
            .unwrap_err()
            .exit()
            .code(),
        2
    );
}

#[test]
fn a_renamed_or_removed_journal_begins_anew_at_one() {
    let scratch = Scratch::new();
    let mut journal = scratch.open();
    append(&mut journal, 1..=2).unwrap();
    let old = scratch.path.with_extension("old");
    fs::rename(&scratch.path, &old).unwrap();
    assert_eq!(append(&mut journal, 1..=1).unwrap(), 1);
    assert_eq!(fs::read_to_string(&old).unwrap(), entries(1..=2));
    assert_eq!(scratch.read(), entry(1));
    fs::remove_file(&scratch.path).unwrap();
    assert_eq!(append(&mut journal, 1..=3).unwrap(), 3);
    // Replaced by a journal that has entries: they are counted on.
    fs::rename(&old, &scratch.path).unwrap();
    assert_eq!(append(&mut journal, 3..=3).unwrap(), 3);
    assert_eq!(scratch.read(), entries(1..=3));
    fs::write(scratch.path.with_extension("bad"), "x\n").unwrap();
    fs::rename(scratch.path.with_extension("bad"), &scratch.path).unwrap();
    assert!(matches!(
        append(&mut journal, 4..=4),
        Err(JournalError::Damaged { .. })
    ));
    assert_eq!(scratch.read(), "x\n");
}

#[test]
fn threads_and_journals_share_a_file_without_a_hole() {
    let scratch = Scratch::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut journal = scratch.open();
                for number in 0..25 {
                    append(&mut journal, [number, number + 1]).unwrap();
                }
            });
        }
    });
    let (damage, read) = judge(&scratch.path);
    assert_eq!(damage, []);
    assert_eq!(read, (1..=200).collect::<Vec<_>>());
}
