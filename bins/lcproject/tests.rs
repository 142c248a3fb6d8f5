//! The step driven as a function: what holds for every input and every view.

use std::num::NonZeroUsize;

use clap::Parser as _;
use lctools::finding::Findings;
use lctools::json::Raw;
use lctools::line::Lines;
use lctools::pump::{Context, Signals, Step as _};
use lctools::time::UtcTime;
use proptest::prelude::*;

use crate::cli::Cli;
use crate::step::Project;

/// What lcproject writes for an input, and how many findings it counts.
fn run(arguments: &str, input: &[u8]) -> (String, u64) {
    let cli = Cli::parse_from(std::iter::once("lcproject").chain(arguments.split_whitespace()));
    let options = cli.findings.options(cli.rules.strict);
    let mut findings = Findings::to("lcproject", options, Box::new(std::io::sink()));
    let signals = Signals::install().unwrap();
    let mut step = Project::new(&cli);
    let mut out = Vec::new();
    let mut cx = Context {
        out: &mut out,
        findings: &mut findings,
        now: UtcTime::parse("2026-08-24T09:00:00Z").unwrap(),
        elapsed: std::time::Duration::ZERO,
        file: "-",
        file_index: 0,
        signals: &signals,
    };
    let mut lines = Lines::new(NonZeroUsize::new(1 << 20).unwrap());
    let mut rest = input;
    while !rest.is_empty() {
        let space = lines.space();
        let count = rest.len().min(space.len());
        space[..count].copy_from_slice(&rest[..count]);
        lines.filled(count);
        rest = &rest[count..];
        while let Some(line) = lines.next_line() {
            step.line(line, &mut cx).unwrap();
        }
    }
    if let Some(line) = lines.last_line() {
        step.line(line, &mut cx).unwrap();
    }
    while step.conclude(&mut cx).unwrap() {}
    let _ = step.finish(&mut cx).unwrap();
    (String::from_utf8(out).unwrap(), findings.counted())
}

/// The last record of each child in a commentary, first seen first.
fn fold(commentary: &str) -> String {
    let mut records: Vec<(String, String)> = Vec::new();
    for line in commentary.lines() {
        let line = Raw::parse(line).unwrap();
        let kind = line.get("type").unwrap().as_str().unwrap();
        let record = match &*kind {
            "update" => line.get("record").unwrap(),
            "progress" => line,
            _ => continue,
        };
        let Some(id) = record.get("childId") else {
            continue;
        };
        let key = format!("{} {}", record.get("source").unwrap().text(), id.text());
        match records.iter_mut().find(|(known, _)| *known == key) {
            Some((_, last)) => record.text().clone_into(last),
            None => records.push((key, record.text().to_owned())),
        }
    }
    records
        .iter()
        .map(|(_, record)| format!("{record}\n"))
        .collect()
}

fn event() -> impl Strategy<Value = String> {
    let what = prop::sample::select(vec![
        r#""created","state":"created""#,
        r#""state_changed","state":"starting""#,
        r#""state_changed","state":"running""#,
        r#""activity","activity":"at\u001b[2J""#,
        r#""heartbeat""#,
        r#""terminal","state":"completed""#,
        r#""terminal","state":"failed","details":{"cause":{"message":"why"}}"#,
        r#""reconciliation","state":"waiting","details":{"snapshotId":"p"}"#,
    ]);
    (what, 0..4, 0..4, 0..2, prop::option::of(0..6), 0..60).prop_map(
        |(what, child, parent, epoch, sequence, second)| {
            let sequence = sequence.map_or(String::new(), |n| format!(",\"sequence\":{n}"));
            format!(
                "{{\"schemaVersion\":1,\"eventId\":\"e{second}\",\"source\":\"s\",\
                 \"sourceEpoch\":\"x{epoch}\",\"childId\":\"c{child}\",\"lineage\":\
                 {{\"rootChildId\":\"c0\",\"attempt\":0,\"external\":false,\
                 \"parentChildId\":\"c{parent}\"}},\"kind\":{what},\
                 \"observedAt\":\"2026-08-24T09:00:{second:02}Z\"{sequence}}}\n"
            )
        },
    )
}

/// Snapshots and partial views of the same children.
fn snapshot() -> impl Strategy<Value = String> {
    let state = prop::sample::select(vec!["running", "waiting", "completed", "failed"]);
    let listed = prop::collection::btree_map(0..4, (state, prop::option::of(0..6)), 0..4);
    (listed, 0..9, 0..2, any::<bool>(), 0..240).prop_map(|(listed, id, epoch, complete, second)| {
        let children: Vec<_> = listed
            .iter()
            .map(|(child, (state, sequence))| {
                let sequence = sequence.map_or(String::new(), |n| format!(",\"sequence\":{n}"));
                format!("{{\"childId\":\"c{child}\",\"state\":\"{state}\"{sequence}}}")
            })
            .collect();
        format!(
            "{{\"source\":\"s\",\"sourceEpoch\":\"x{epoch}\",\"snapshotId\":\"p{id}\",\
                 \"observedAt\":\"2026-08-24T09:{:02}:{:02}Z\",\"complete\":{complete},\
                 \"coverage\":\"all\",\"children\":[{}]}}\n",
            second / 60,
            second % 60,
            children.join(",")
        )
    })
}

/// Events, snapshots, and now and then some bytes.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        8 => event().prop_map(String::into_bytes),
        3 => snapshot().prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => (event(), 0_usize..300).prop_map(|(event, cut)| {
            let mut bytes = event.into_bytes();
            bytes.truncate(cut);
            bytes
        }),
    ];
    prop::collection::vec(line, 0..30).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn the_fold_of_the_commentary_is_the_final_projection(input in input()) {
        for options in ["", "--stale-after 20s --lost-after 10s --now 2026-08-24T09:05:00Z"] {
            let (commentary, counted) = run(&format!("--updates {options}"), &input);
            let (records, again) = run(options, &input);
            prop_assert_eq!(fold(&commentary), records);
            prop_assert_eq!(counted, again);
        }
    }

    #[test]
    fn any_bytes_give_whole_lines_in_every_view(input in input()) {
        for view in ["", "--updates", "--tree", "--table", "--strict --expect failed --tree"] {
            let (out, _) = run(view, &input);
            prop_assert!(out.is_empty() || out.ends_with('\n'));
            prop_assert!(!out.contains(|c: char| c.is_control() && c != '\n'), "{out:?}");
        }
    }

    #[test]
    fn every_child_has_its_row(input in input()) {
        let (records, _) = run("", &input);
        let children = records.lines().count();
        for view in ["--tree", "--table"] {
            let (rows, _) = run(view, &input);
            let head = usize::from(view == "--table");
            let expected = if children == 0 { 1 } else { children + head + 2 };
            prop_assert_eq!(rows.lines().count(), expected, "{}", rows);
        }
    }
}

#[test]
fn a_row_is_cut_to_the_screen_with_wide_characters_whole() {
    use crate::look::{Look, Paint};
    use crate::row::Row;
    let mut row = Row::default();
    row.put(Paint::Good, "漢字");
    row.put(Paint::Plain, " abc");
    let shown = |columns, color| {
        let look = Look {
            color,
            unicode: true,
            columns,
            ..Look::default()
        };
        let mut out = Vec::new();
        row.write(&look, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(shown(None, false), "漢字 abc\n");
    assert_eq!(shown(Some(8), false), "漢字 abc\n");
    assert_eq!(shown(Some(7), false), "漢字 a…\n");
    assert_eq!(shown(Some(4), false), "漢…\n");
    assert_eq!(shown(Some(1), false), "…\n");
    assert_eq!(shown(Some(7), true), "\u{1b}[32m漢字\u{1b}[0m a…\n");
}
