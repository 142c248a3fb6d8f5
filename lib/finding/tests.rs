use std::sync::{Arc, Mutex};

use super::*;

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn said(options: Options, reports: &[(Code, &str)]) -> (String, u64) {
    let sink = Sink::default();
    let mut findings = Findings::to("prog", options, Box::new(sink.clone()));
    for (line, (code, excerpt)) in reports.iter().enumerate() {
        let place = Place {
            file: "a\u{1b}.jsonl",
            line: line as u64 + 1,
        };
        findings.report(place, *code, "what is wrong", excerpt.as_bytes());
    }
    findings.finish();
    let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    (text, findings.counted())
}

#[test]
fn shown_up_to_the_limit_then_counted() {
    let options = Options {
        max: 1,
        ..Options::default()
    };
    let reports = [
        (Code::MalformedJson, "x\u{1b}[2J"),
        (Code::TooDeep, ""),
        (Code::Crlf, ""),
    ];
    let (text, counted) = said(options, &reports);
    assert_eq!(counted, 2, "a warning never counts");
    assert_eq!(
        text,
        "prog: a\\u{1b}.jsonl:1: malformed_json: what is wrong: x\\u001b[2J\n\
         prog: 3 findings: malformed_json 1, too_deep 1, crlf 1\n"
    );
}

#[test]
fn allowed_codes_are_reported_but_not_counted_and_status_codes_need_strict() {
    let options = Options {
        allow: vec![Code::TooDeep],
        json: true,
        ..Options::default()
    };
    let (text, counted) = said(options, &[(Code::TooDeep, "é"), (Code::LateJoin, "")]);
    assert_eq!(counted, 0);
    assert_eq!(
        text,
        "{\"type\":\"finding\",\"program\":\"prog\",\"file\":\"a\\u001b.jsonl\",\"line\":1,\
         \"code\":\"too_deep\",\"counted\":false,\"message\":\"what is wrong\",\"excerpt\":\"é\"}\n"
    );
    let strict = Options {
        strict: true,
        ..Options::default()
    };
    assert_eq!(said(strict, &[(Code::LateJoin, "")]).1, 1);
}

#[test]
fn nothing_to_say_nothing_said() {
    assert_eq!(said(Options::default(), &[]), (String::new(), 0));
}

#[test]
fn codes_are_read_as_they_are_written_and_none_is_twice() {
    let mut texts: Vec<_> = Code::all().map(Code::as_str).collect();
    for text in &texts {
        assert_eq!(text.parse::<Code>().unwrap().as_str(), *text);
    }
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), Code::COUNT);
    assert!("no_such".parse::<Code>().is_err());
}

#[test]
fn what_a_message_quotes_is_redacted_too() {
    let sink = Sink::default();
    let mut findings = Findings::to("prog", Options::default(), Box::new(sink.clone()));
    let key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let place = Place { file: "-", line: 1 };
    findings.report(place, Code::TooDeep, &format!("`{key}` is known"), b"");
    findings.note(&format!("expected completed, but {key} is created"));
    let said = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    assert!(
        !said.contains("ghp_") && said.contains("[REDACTED]"),
        "{said}"
    );
}
