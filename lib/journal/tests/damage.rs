use super::*;

/// Two good entries, a line, then good entries from `next` on: what is found, the line's damage
/// being expected at line 3 with good neighbours kept.
fn between(line: impl AsRef<[u8]>, next: u64) -> (Code, Vec<u64>) {
    let mut content = entries(1..=2).into_bytes();
    let offset = content.len() as u64;
    content.extend_from_slice(line.as_ref());
    content.push(b'\n');
    content.extend_from_slice(entries(next..next + 2).as_bytes());
    let scratch = Scratch::with(content);
    let (damage, read) = judge(&scratch.path);
    assert_eq!(damage.len(), 1, "{damage:?}");
    assert_eq!((damage[0].line, damage[0].offset), (3, offset));
    (damage[0].problem.code, read)
}

#[test]
fn each_kind_of_damage_has_its_code_and_costs_no_neighbour() {
    let whole = entry(3);
    let whole = whole.trim_end();
    let half = &whole[..100];
    let with = |from: &str, to: &str| whole.replacen(from, to, 1);
    let cases: Vec<(Vec<u8>, Code)> = vec![
        (b"Loading agent...".to_vec(), Code::MalformedJson),
        (half.into(), Code::MalformedJson),
        (b"[1,2]".to_vec(), Code::NotAnObject),
        (b"null".to_vec(), Code::NotAnObject),
        (b"{}".to_vec(), Code::InvalidEvent),
        (
            with("\"schemaVersion\":1", "\"schemaVersion\":2").into(),
            Code::InvalidEvent,
        ),
        (
            with("\"eventId\"", "\"childId\"").into(),
            Code::InvalidEvent,
        ),
        (
            with("\"a\"", &format!("\"{}\"", "a".repeat(70_000))).into(),
            Code::OversizedLine,
        ),
        (
            with("\"a\"", &format!("\"{}\"", "a".repeat(2_000_000))).into(),
            Code::OversizedLine,
        ),
        (
            [
                &whole.as_bytes()[..200],
                b"\xC3\x28",
                &whole.as_bytes()[200..],
            ]
            .concat(),
            Code::InvalidUtf8,
        ),
        ([b"\xEF\xBB\xBF", whole.as_bytes()].concat(), Code::Bom),
        (vec![0; 4_096], Code::NulRun),
        (vec![0; 100_000], Code::NulRun),
        (
            [half.as_bytes(), &[0; 300], &whole.as_bytes()[200..]].concat(),
            Code::NulRun,
        ),
        (
            with(
                "\"a\"",
                &format!("{}1{}", "[".repeat(1_100), "]".repeat(1_100)),
            )
            .into(),
            Code::MalformedJson,
        ),
    ];
    for (line, code) in cases {
        let what = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        // The next entry may follow the damaged one, or take its place.
        assert_eq!(between(&line, 4), (code, vec![1, 2, 4, 5]), "{what}");
        assert_eq!(between(&line, 3), (code, vec![1, 2, 3, 4]), "{what}");
    }
}

#[test]
fn fused_records_are_told_from_other_nonsense() {
    let (three, four) = (entry(3), entry(4));
    let (three, four) = (three.trim_end(), four.trim_end());
    let fused = [
        format!("{three}{four}"),
        format!("{three} {four}"),
        format!("{}{four}", &three[..three.len() - 1]),
        format!("{three}{}", &four[1..]),
        format!("{}{four}", &three[..40]),
        format!("{}{four}", &three[..45]),
        format!("{}{four}", &three[..3]),
        format!("{three}{}", &four[..50]),
        format!("{three}{four}{}", &four[..50]),
    ];
    for line in fused {
        assert_eq!(
            between(&line, 5),
            (Code::FusedRecords, vec![1, 2, 5, 6]),
            "{line}"
        );
        assert_eq!(between(&line, 3).0, Code::FusedRecords, "{line}");
    }
    for line in [
        format!("{three}x"),
        format!("x{three}x"),
        "{\"a\":{\"b\":}}".to_owned(),
    ] {
        assert_eq!(between(&line, 4).0, Code::MalformedJson, "{line}");
    }
    // A hostile line of beginnings does not cost more than a few looks.
    let beginnings = "{\"kind\":".repeat(8_000);
    assert_eq!(between(beginnings, 4).0, Code::MalformedJson);
}

#[test]
fn numbers_count_without_a_hole_and_one_fault_is_one_damage() {
    let at = |lines: usize| {
        entries(1..=9)
            .split_inclusive('\n')
            .take(lines)
            .map(str::len)
            .sum::<usize>() as u64
    };
    assert_eq!(damage(entries([1, 2, 3])), []);
    let missing = entries([1, 2, 4, 5, 6]);
    assert_eq!(damage(missing), [(Code::SequenceNotNext, 3, at(2))]);
    let twice = entries([1, 2, 2, 3, 4]);
    assert_eq!(damage(twice), [(Code::SequenceNotNext, 3, at(2))]);
    let interleaved = entries([1, 2, 3, 3, 4, 5]);
    assert_eq!(damage(interleaved).len(), 1);
    assert_eq!(damage(entries([2, 3])), [(Code::SequenceNotNext, 1, 0)]);
    assert_eq!(damage(entries([0, 1, 2])).len(), 1);
    // An event that never was an entry; a number that is not written as one.
    let foreign = format!("{}{}\n{}", entry(1), event(9), entry(2));
    assert_eq!(damage(foreign), [(Code::SequenceNotNext, 2, at(1))]);
    let digits = entry(1).replace(":1}\n", ":1.0}\n") + &entry(2);
    assert_eq!(damage(digits), [(Code::SequenceNotNext, 1, 0)]);
    // A damaged line explains one missing number, not two.
    let more = format!("{}x\n{}", entry(1), entry(4));
    assert_eq!(damage(more).len(), 2);
    let greatest = (1_u64 << 53) - 1;
    assert_eq!(damage(entries([greatest])).len(), 1);
}

#[test]
fn the_last_line_must_be_ended() {
    let content = entries(1..=3);
    let offset = content.len() as u64 - entry(3).len() as u64;
    let whole = content.trim_end();
    assert_eq!(damage(whole), [(Code::TruncatedLine, 3, offset)]);
    assert_eq!(
        damage(&whole[..whole.len() - 30]),
        [(Code::TruncatedLine, 3, offset)]
    );
    assert_eq!(
        damage(format!("{content}{{")),
        [(Code::TruncatedLine, 4, content.len() as u64)]
    );
    assert_eq!(
        damage(format!("{content}\0\0\0")),
        [(Code::NulRun, 4, content.len() as u64)]
    );
    assert_eq!(
        damage(format!("{content}  ")),
        [(Code::TruncatedLine, 4, content.len() as u64)]
    );
    assert_eq!(damage("\u{feff}"), [(Code::Bom, 1, 0)]);
    assert_eq!(damage("\u{feff}\n"), [(Code::Bom, 1, 0)]);
}

#[test]
fn what_is_no_damage() {
    assert_eq!(damage(""), []);
    assert_eq!(damage("\n \n"), []);
    // White lines count as lines; CR LF is the caller's warning; the number may stand anywhere.
    let content = format!("\n{}\n{}", entry(1), entry(2).replace('\n', "\r\n"));
    assert_eq!(damage(&content), []);
    let bad = format!("{content}x\n");
    assert_eq!(
        damage(&bad),
        [(Code::MalformedJson, 5, content.len() as u64)]
    );
    let first = event(1).replacen('{', "{\"journalSequence\":1,", 1) + "\n";
    assert_eq!(damage(first + &entry(2)), []);
    // An entry of exactly the cap.
    let fill = MAX_EVENT_BYTES - (entry(1).len() - 1);
    let longest = entry(1).replacen("\"a\"", &format!("\"a{}\"", "a".repeat(fill)), 1);
    assert_eq!(longest.len() - 1, MAX_EVENT_BYTES);
    assert_eq!(damage(&longest), []);
    assert_eq!(
        damage(longest.replacen("\"a", "\"aa", 1)),
        [(Code::OversizedLine, 1, 0)]
    );
}

#[test]
fn a_tail_is_read_again_after_it_was_forgotten() {
    let scratch = Scratch::with(&entries(1..=3)[..600]);
    let file = File::open(&scratch.path).unwrap();
    let mut walk = Walk::new(file, Place::default(), Options::default().max_line_bytes);
    let mut read = Vec::new();
    let mut damaged = 0;
    let mut each = |_: &crate::line::Line<'_>, judged: Judged<'_>| match judged {
        Ok(entry) => read.push(entry.sequence),
        Err(_) => damaged += 1,
    };
    while walk.advance(&mut each).unwrap() {}
    assert!(walk.has_tail());
    fs::write(&scratch.path, entries(1..=4)).unwrap();
    walk.forget_tail();
    while walk.advance(&mut each).unwrap() {}
    assert!(!walk.has_tail());
    walk.finish(&mut each);
    assert_eq!((read, damaged), (vec![1, 2, 3, 4], 0));
    assert_eq!(walk.place().lines, 4);
}

/// Everything wrong with a journal and its readable entries, stretches looked through apart.
fn judge_by_stretches(path: &Path) -> (Vec<Damage>, Vec<u64>) {
    let file = File::open(path).unwrap();
    let size = file.metadata().unwrap().len();
    let cap = Options::default().max_line_bytes;
    let mut walk = Walk::new(file.try_clone().unwrap(), Place::default(), cap);
    let (mut damage, mut read) = (Vec::new(), Vec::new());
    let mut bounds = Vec::new();
    let mut from = 0;
    while let Some(found) = Bounds::find(&file, from, size).unwrap() {
        from = found.end();
        bounds.push(found);
    }
    assert!(bounds.len() >= 2);
    for bounds in bounds {
        let stretch = bounds.look_through(&file, cap).unwrap();
        assert!(walk.leap(stretch, &mut |leapt| match leapt {
            Leapt::Entry { sequence, .. } => read.push(sequence),
            Leapt::Damage(found) => damage.push(found),
            Leapt::More(_) | Leapt::Crlf(_) => {}
        }));
    }
    let mut each = |line: &crate::line::Line<'_>, judged: Judged<'_>| {
        let problem = match judged {
            Ok(entry) => {
                read.push(entry.sequence);
                entry.wrong_number
            }
            Err(problem) => Some(problem),
        };
        damage.extend(problem.map(|problem| Damage::at(line, problem)));
    };
    while walk.advance(&mut each).unwrap() {}
    walk.finish(&mut each);
    (damage, read)
}

#[test]
fn stretches_looked_through_apart_come_to_the_same() {
    // Every thousandth line is damaged in one way or another; long ones span two reads.
    let mut content = Vec::new();
    let mut next = 1;
    for turn in 0..45_000_u64 {
        let line = entry(next);
        let line = line.as_bytes();
        match turn % 7_000 {
            1_000 => content.extend_from_slice(&line[..100]),
            2_000 => content.extend_from_slice(&[0; 3_000]),
            3_000 => content.extend_from_slice(&[vec![b'x'; 70_000], vec![b'\n']].concat()),
            4_000 => content.extend_from_slice(b"\n\xEF\xBB\xBF\n"),
            5_000 => next += 3,
            6_000 => content.extend_from_slice(b"junk\n\r\n"),
            _ => content.extend_from_slice(line),
        }
        next += 1;
    }
    content.extend_from_slice(&entry(next).as_bytes()[..50]);
    let scratch = Scratch::with(&content);
    let (damage, read) = judge(&scratch.path);
    assert!(damage.len() > 30 && read.len() > 40_000);
    let (apart, read_apart) = judge_by_stretches(&scratch.path);
    assert_eq!(apart, damage);
    assert_eq!(read_apart, read);
}
