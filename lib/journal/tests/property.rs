use proptest::prelude::*;

use super::*;

/// Event lines as adapters might write them: white space, a number of another journal, other
/// fields, odd strings.
fn line() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        3 => Just(String::new()),
        1 => "[a-z]{1,8}".prop_map(|text| format!(",\"x-{text}\":[1.0, \"{text}\"]")),
        1 => Just(",\"journalSequence\":7".to_owned()),
        1 => "\\PC{1,20}".prop_map(|text| {
            let mut quoted = Vec::new();
            crate::json::push_str(&mut quoted, &text);
            format!(" ,\"details\": {{\"t\":{}}}", String::from_utf8(quoted).unwrap())
        }),
    ];
    ("[ \t]{0,2}", field, "[ \t]{0,2}", any::<u16>()).prop_map(|(before, field, after, number)| {
        let event = event(u64::from(number));
        let stem = event.strip_suffix('}').unwrap();
        format!("{before}{stem}{field}{after}}}{after}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_goes_in_comes_out(
        batches in proptest::collection::vec(proptest::collection::vec(line(), 0..6), 1..5),
    ) {
        let scratch = Scratch::new();
        let mut journal = scratch.open();
        let mut expected = Vec::new();
        for lines in &batches {
            let mut batch = Batch::default();
            for (index, line) in lines.iter().enumerate() {
                let event = EventView::parse(line.as_bytes()).unwrap();
                batch.push(&event, index as u64 + 1, Redaction::Off).unwrap();
                let (before, after) = event.without_journal_sequence();
                expected.push(format!("{before}{after}"));
            }
            journal.append(&mut batch, &|| false).unwrap();
        }
        if expected.is_empty() {
            return Ok(());
        }
        let (damage, read) = judge(&scratch.path);
        prop_assert_eq!(damage, []);
        prop_assert_eq!(read, (1..=expected.len() as u64).collect::<Vec<_>>());
        let content = scratch.read();
        for (line, expected) in content.lines().zip(&expected) {
            let event = EventView::parse(line.as_bytes()).unwrap();
            let (before, after) = event.without_journal_sequence();
            prop_assert_eq!(&format!("{before}{after}"), expected);
        }
    }

    #[test]
    fn any_bytes_get_a_verdict(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        cut in 0_usize..900,
    ) {
        let mut content = entries(1..=3).into_bytes();
        content.truncate(cut);
        content.extend_from_slice(&bytes);
        content.extend_from_slice(b"\n");
        content.extend_from_slice(entries(1..=2).as_bytes());
        let scratch = Scratch::with(&content);
        let (damage, _) = judge(&scratch.path);
        // The file is read to its end whatever is in it, and only a sound one takes entries.
        let sound = damage.is_empty();
        prop_assert_eq!(scratch.append([1]).is_ok(), sound);
        prop_assert!(sound || fs::read(&scratch.path).unwrap() == content);
    }
}
