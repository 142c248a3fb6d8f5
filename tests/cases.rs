//! Golden cases: tests/cases/PROGRAM/CASE/{cmd,in,out,err,code}.
//!
//! `cmd` is run by `sh` in a fresh scratch folder, with the programs on PATH, `$FIXTURES` naming
//! tests/fixtures and `$CASE` the case's folder; `in` is its stdin (none: empty). `out` and `err`
//! are what it must say (no `err`: nothing), `code` how it must end (none: 0). `BLESS=1` rewrites
//! them; `git diff` reviews.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::harness;

#[test]
fn every_case_says_what_it_said_when_it_was_reviewed() {
    let bless = std::env::var_os("BLESS").is_some();
    let cases = find(&harness::root().join("tests/cases"));
    assert!(cases.len() > 30, "only {} cases found", cases.len());
    let wrong: Vec<_> = cases
        .iter()
        .filter_map(|case| judge(case, bless).err())
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// The contract's rules once more, with the input coming byte by byte.
#[test]
fn the_contract_holds_however_the_input_is_cut() {
    let cases = find(&harness::root().join("tests/cases"));
    let contract = |case: &&PathBuf| {
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("contract-")
    };
    let cases: Vec<_> = cases.iter().filter(contract).collect();
    assert!(cases.len() >= 16, "the eight rules, kept and broken");
    for case in cases {
        let scratch = tempfile::tempdir().unwrap();
        let script = fs::read_to_string(case.join("cmd")).unwrap();
        let mut command = harness::sh(&script, scratch.path());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = fs::read(case.join("in")).unwrap();
        let writer = std::thread::spawn(move || {
            for byte in input {
                stdin.write_all(&[byte]).unwrap();
            }
        });
        let output = harness::finish(child);
        writer.join().unwrap();
        let expected = |name| fs::read(case.join(name)).unwrap_or_default();
        assert_eq!(output.stdout, expected("out"), "{case:?}");
        assert_eq!(output.stderr, expected("err"), "{case:?}");
    }
}

fn find(folder: &Path) -> Vec<PathBuf> {
    let mut cases: Vec<_> = folders(folder)
        .iter()
        .flat_map(|program| folders(program))
        .collect();
    cases.sort();
    cases
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).collect()
}

fn judge(case: &Path, bless: bool) -> Result<(), String> {
    let scratch = tempfile::tempdir().unwrap();
    let script =
        fs::read_to_string(case.join("cmd")).map_err(|error| format!("{case:?}: {error}"))?;
    let mut command = harness::sh(&script, scratch.path());
    command.env("CASE", case).stdin(match case.join("in") {
        input if input.exists() => harness::stdin_of(&input),
        _ => Stdio::null(),
    });
    let output = harness::finish(command.spawn().unwrap());
    let code = format!("{}\n", harness::code(output.status));
    let found = [
        ("out", output.stdout),
        ("err", output.stderr),
        ("code", code.into_bytes()),
    ];
    let mut wrong = Vec::new();
    for (name, bytes) in found {
        let file = case.join(name);
        let usual: &[u8] = if name == "code" { b"0\n" } else { b"" };
        let expected = fs::read(&file).unwrap_or_else(|_| usual.to_vec());
        if bytes == expected {
            continue;
        }
        if bless && bytes == usual && name != "out" {
            fs::remove_file(&file).unwrap();
        } else if bless {
            fs::write(&file, &bytes).unwrap();
        } else {
            let (expected, bytes) = (harness::text(&expected), harness::text(&bytes));
            wrong.push(format!(
                "-- {name}, expected:\n{expected}-- found:\n{bytes}"
            ));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\n{}", case.display(), wrong.join("")))
    }
}
