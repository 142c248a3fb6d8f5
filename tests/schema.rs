//! The JSON Schemas held against what the programs write and what they read.
//!
//! Everything goes through a validator that is not ours. What the readers accept, the schemas
//! accept; what the readers refuse, the schemas refuse, as far as JSON Schema can say it.

mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use jsonschema::Validator;
use lctools::event::{EventView, Kind, State};
use lctools::finding::Code;
use lctools::schema;
use lctools::snapshot::SnapshotView;
use serde_json::{Value, json};

use crate::harness;

fn parsed(name: &str) -> Value {
    serde_json::from_str(schema::get(name).unwrap()).unwrap()
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap()
}

fn validators() -> BTreeMap<&'static str, Validator> {
    schema::names()
        .map(|name| (name, validator(&parsed(name))))
        .collect()
}

/// Which schema a line is for, by its fields (SPEC section 1).
fn kind_of(record: &Value) -> Option<&str> {
    let has = |field| record.get(field).is_some();
    if has("kind") {
        let stored = has("journalSequence");
        return Some(if stored { "journal-entry" } else { "event" });
    }
    if has("children") && has("coverage") {
        let complete = record["complete"] == json!(true);
        return Some(if complete { "snapshot" } else { "partial-view" });
    }
    match record.get("type").and_then(Value::as_str) {
        None if has("lock") && has("held") => Some("lock"),
        own => own.filter(|own| schema::get(own).is_some()),
    }
}

/// The objects among the lines of every golden file of that name, with the file. Lines that a
/// program only passed on as it read them are not its own, and left out.
fn golden(name: &str) -> Vec<(PathBuf, Value)> {
    let cases = harness::root().join("tests/cases");
    let mut records = Vec::new();
    for case in folders(&cases).iter().flat_map(folders) {
        let file = case.join(name);
        let (bytes, input) = (
            fs::read(&file).unwrap_or_default(),
            fs::read(case.join("in")).unwrap_or_default(),
        );
        let read: BTreeSet<_> = lines(&input).collect();
        for line in lines(&bytes) {
            match serde_json::from_slice::<Value>(line) {
                Ok(record) if record.is_object() => {
                    let passed = name != "in" && record.get("kind").is_none();
                    if !passed || !read.contains(line) {
                        records.push((file.clone(), record));
                    }
                }
                _ => {}
            }
        }
    }
    records
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.map(<[u8]>::trim_ascii)
}

fn folders(folder: &PathBuf) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_dir()).collect()
}

#[test]
fn every_schema_is_one_and_stands_alone() {
    for name in schema::names() {
        let schema = parsed(name);
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        assert_eq!(schema["$id"], format!("urn:lctools:schema:1:{name}"));
        let text = schema::get(name).unwrap();
        assert!(text.ends_with("}\n"), "{name}");
        for reference in text.split("\"$ref\": ").skip(1) {
            let inside = reference.strip_prefix("\"#/$defs/");
            let target = inside.and_then(|rest| rest.split('"').next()).unwrap();
            assert!(schema["$defs"].get(target).is_some(), "{name}: {target}");
        }
        let file = format!("lib/schema/{name}.json");
        assert!(harness::root().join(&file).exists(), "{file}");
    }
    let folder = fs::read_dir(harness::root().join("lib/schema")).unwrap();
    let files = folder.filter(|entry| {
        let path = entry.as_ref().unwrap().path();
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    assert_eq!(
        files.count(),
        schema::names().count(),
        "one is not embedded"
    );
}

/// Each schema stands alone, so what they share is written down more than once.
#[test]
fn what_schemas_share_is_the_same_in_each() {
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    for name in schema::names() {
        for (definition, body) in parsed(name)["$defs"].as_object().unwrap() {
            let first = known.entry(definition.clone()).or_insert(body.clone());
            assert_eq!(first, body, "{name}: {definition}");
        }
    }
    for name in ["event", "progress"] {
        let mut schema = parsed(name);
        let members = schema.as_object_mut().unwrap();
        for annotation in ["$schema", "$id", "$defs", "$comment", "title"] {
            members.remove(annotation);
        }
        assert_eq!(known[name], schema, "{name}");
    }
    let words = |words: Vec<&str>| json!({ "enum": words });
    assert_eq!(
        known["code"],
        words(Code::all().map(Code::as_str).collect())
    );
    let states = State::ALL.iter().map(|state| state.as_str());
    assert_eq!(known["state"], words(states.collect()));
    let kinds = Kind::ALL.iter().map(|kind| kind.as_str());
    let event = parsed("event");
    assert_eq!(event["properties"]["kind"], words(kinds.collect()));
}

#[test]
fn all_golden_output_is_as_the_schemas_say() {
    let validators = validators();
    let mut exercised = BTreeSet::new();
    for name in ["out", "err"] {
        for (file, record) in golden(name) {
            let Some(kind) = kind_of(&record) else {
                panic!("{}: no schema for {record}", file.display());
            };
            exercised.insert(kind.to_owned());
            if let Err(error) = validators[kind].validate(&record) {
                let place = error.instance_path();
                panic!("{}: {kind}: {place}: {error}: {record}", file.display());
            }
        }
    }
    let all: BTreeSet<_> = schema::names().map(str::to_owned).collect();
    let missing: Vec<_> = all.difference(&exercised).collect();
    assert!(missing.is_empty(), "no golden case shows {missing:?}");
}

#[test]
fn what_the_readers_accept_the_schemas_accept() {
    let validators = validators();
    let mut accepted = 0;
    for (file, record) in golden("in") {
        let line = record.to_string();
        let good = match kind_of(&record) {
            Some("event" | "journal-entry") => EventView::parse(line.as_bytes()).is_ok(),
            Some("snapshot" | "partial-view") => SnapshotView::parse(line.as_bytes()).is_ok(),
            _ => continue,
        };
        let kind = match kind_of(&record) {
            Some("journal-entry") => "event",
            kind => kind.unwrap(),
        };
        let says = validators[kind].is_valid(&record);
        assert!(says || !good, "{}: {record}", file.display());
        accepted += u32::from(good);
    }
    assert!(accepted > 300, "only {accepted}");
}

#[test]
fn a_program_prints_a_schema_byte_for_byte() {
    let scratch = tempfile::tempdir().unwrap();
    for (program, _) in harness::PROGRAMS {
        for name in schema::names() {
            let output = harness::run(&format!("{program} --schema {name}"), scratch.path());
            let file = harness::root().join(format!("lib/schema/{name}.json"));
            assert_eq!(output.stdout, fs::read(file).unwrap(), "{program} {name}");
            assert!(output.stderr.is_empty() && output.status.success());
        }
        for (rest, code) in [
            ("event >/dev/full", 74),
            ("weather", 2),
            ("event event", 2),
            ("event --findings-json", 2),
        ] {
            let output = harness::run(&format!("{program} --schema {rest}"), scratch.path());
            assert_eq!(harness::code(output.status), code, "{program} {rest}");
            assert!(output.stdout.is_empty() && !output.stderr.is_empty());
        }
    }
    let output = harness::run("lcjournal --schema event verify x", scratch.path());
    assert_eq!(harness::code(output.status), 2, "one thing or the other");
}

/// A record with one member replaced, or removed.
fn with(record: &Value, pointer: &str, value: Option<Value>) -> Value {
    let mut record = record.clone();
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    let parent = record.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => parent.insert(member.to_owned(), value),
        None => Some(parent.remove(member).unwrap()),
    };
    record
}

/// Records of the contract are open; those of the toolkit's own are not.
#[test]
fn fields_nobody_knows_are_allowed_where_the_contract_allows_them() {
    let validators = validators();
    for (_, record) in golden("out").into_iter().chain(golden("err")) {
        let kind = kind_of(&record).unwrap();
        let open = ["event", "journal-entry", "snapshot", "partial-view"].contains(&kind);
        let record = with(&record, "/somethingNew", Some(json!(1)));
        assert_eq!(validators[kind].is_valid(&record), open, "{kind}: {record}");
    }
}
