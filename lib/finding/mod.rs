//! Findings: what is wrong with an input line, said once, bounded, and counted.
//!
//! A finding never stops a program and never costs a neighbouring line. Everything that is said
//! on stderr goes through [`Findings`]; what is quoted from input is redacted first, then cut,
//! then escaped. Nothing here decides whether something is wrong: the steps do.

mod code;

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

pub use code::{Class, Code};

use crate::json::push_str;
use crate::redact::redact_text;

/// The longest excerpt of a line in a message, in bytes (SPEC section 2).
pub const EXCERPT_BYTES: usize = 200;

/// Text for a terminal: control characters (ESC and friends) written as escapes.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if character.is_control() {
                write!(f, "{}", character.escape_default())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        Ok(())
    }
}

/// Where a finding was made.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The name of the input, `-` for standard input.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u64,
}

/// How findings are said: the options that every program has.
#[derive(Clone, Debug)]
pub struct Options {
    /// At most so many in full; the rest are only counted.
    pub max: u64,
    /// JSONL instead of text.
    pub json: bool,
    /// Reported, but not counted.
    pub allow: Vec<Code>,
    /// Status codes count as findings too.
    pub strict: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max: 32,
            json: false,
            allow: Vec::new(),
            strict: false,
        }
    }
}

/// Says and counts the findings of one program run.
pub struct Findings {
    program: &'static str,
    options: Options,
    seen: [u64; Code::COUNT],
    counted: u64,
    shown: u64,
    lines: u64,
    stderr: Box<dyn Write + Send>,
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Findings")
            .field("program", &self.program)
            .field("counted", &self.counted)
            .field("shown", &self.shown)
            .finish_non_exhaustive()
    }
}

impl Findings {
    /// Findings said on standard error.
    #[must_use]
    pub fn new(program: &'static str, options: Options) -> Findings {
        Findings::to(program, options, Box::new(std::io::stderr()))
    }

    /// Findings said elsewhere; for tests.
    #[must_use]
    pub fn to(program: &'static str, options: Options, stderr: Box<dyn Write + Send>) -> Findings {
        Findings {
            program,
            options,
            seen: [0; Code::COUNT],
            counted: 0,
            shown: 0,
            lines: 0,
            stderr,
        }
    }

    /// Reports one finding: `message` says what is wrong and what to do; `excerpt` is quoted.
    pub fn report(&mut self, place: Place<'_>, code: Code, message: &str, excerpt: &[u8]) {
        if code.class() == Class::Status && !self.options.strict {
            return;
        }
        let counted = code.class() != Class::Warning && !self.options.allow.contains(&code);
        self.seen[code.index()] += 1;
        self.counted += u64::from(counted);
        if self.shown >= self.options.max {
            return;
        }
        self.shown += 1;
        // It may quote an id, and somebody may have put a secret there.
        let message = &redact_text(message);
        let excerpt = match excerpt {
            b"" => None,
            bytes => Some(crate::redact::excerpt_bytes(bytes, EXCERPT_BYTES)),
        };
        if self.options.json {
            self.say_json(place, code, message, excerpt.as_deref(), counted);
        } else {
            let mut text = format!("{}:{}: {code}: {message}", Escaped(place.file), place.line);
            if let Some(excerpt) = excerpt {
                text.push_str(": ");
                text.push_str(&excerpt);
            }
            self.say_text(&text);
        }
    }

    /// Says something that is not about a line: a hint, what a repair did.
    pub fn note(&mut self, message: &str) {
        self.say("note", message);
    }

    /// Says why the program ends, or what it had to leave undone.
    pub fn failure(&mut self, failure: &crate::exit::Failure) {
        self.say("error", &failure.text());
    }

    fn say(&mut self, kind: &str, message: &str) {
        let message = &redact_text(message);
        if self.options.json {
            let mut line = self.json_head(kind);
            push_member(&mut line, "message", message);
            self.say_line(line);
        } else {
            self.say_text(&Escaped(message).to_string());
        }
    }

    /// How many findings count against the exit status.
    #[must_use]
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// How many times something was written to stderr.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// How many of one code were seen, shown or not.
    #[must_use]
    pub fn seen(&self, code: Code) -> u64 {
        self.seen[code.index()]
    }

    /// Whether a finding of this code would count: it is no warning, and not allowed.
    #[must_use]
    pub fn counts(&self, code: Code) -> bool {
        match code.class() {
            Class::Warning => false,
            Class::Status if !self.options.strict => false,
            _ => !self.options.allow.contains(&code),
        }
    }

    /// Says the counts by code, if some findings were not shown in full.
    pub fn finish(&mut self) {
        let total: u64 = self.seen.iter().sum();
        if total <= self.shown {
            return;
        }
        let counts = Code::all().filter(|code| self.seen(*code) > 0);
        if self.options.json {
            let mut line = self.json_head("findings");
            let counts: Vec<_> = counts
                .map(|code| format!("\"{code}\":{}", self.seen(code)))
                .collect();
            let _ = write!(
                line,
                ",\"total\":{total},\"counts\":{{{}}}",
                counts.join(",")
            );
            self.say_line(line);
        } else {
            let counts: Vec<_> = counts
                .map(|code| format!("{code} {}", self.seen(code)))
                .collect();
            self.say_text(&format!("{total} findings: {}", counts.join(", ")));
        }
    }

    fn say_json(
        &mut self,
        place: Place<'_>,
        code: Code,
        message: &str,
        excerpt: Option<&str>,
        counted: bool,
    ) {
        let mut line = self.json_head("finding");
        push_member(&mut line, "file", place.file);
        let _ = write!(
            line,
            ",\"line\":{},\"code\":\"{code}\",\"counted\":{counted}",
            place.line
        );
        push_member(&mut line, "message", message);
        if let Some(excerpt) = excerpt {
            push_member(&mut line, "excerpt", excerpt);
        }
        self.say_line(line);
    }

    fn json_head(&self, kind: &str) -> Vec<u8> {
        format!("{{\"type\":\"{kind}\",\"program\":\"{}\"", self.program).into_bytes()
    }

    fn say_line(&mut self, mut line: Vec<u8>) {
        line.extend_from_slice(b"}\n");
        self.lines += 1;
        // Whoever closed stderr does not want to know.
        let _ = self.stderr.write_all(&line);
    }

    fn say_text(&mut self, text: &str) {
        self.lines += 1;
        let _ = self
            .stderr
            .write_all(format!("{}: {text}\n", self.program).as_bytes());
    }
}

fn push_member(line: &mut Vec<u8>, key: &str, value: &str) {
    let _ = write!(line, ",\"{key}\":");
    push_str(line, value);
}

/// A verdict against a line: the code and what to say. It is what the readers and validators
/// return; a step hands it to [`Findings::report`] with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The finding's code.
    pub code: Code,
    /// What is wrong and what to do.
    pub message: Cow<'static, str>,
}

impl Problem {
    /// A verdict.
    #[must_use]
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Problem {
        Problem {
            code,
            message: message.into(),
        }
    }
}

impl From<crate::json::Error> for Problem {
    fn from(error: crate::json::Error) -> Problem {
        let code = match error.kind {
            crate::json::ErrorKind::Malformed => Code::MalformedJson,
            crate::json::ErrorKind::NotAnObject => Code::NotAnObject,
            crate::json::ErrorKind::TooDeep => Code::TooDeep,
        };
        Problem::new(
            code,
            format!("{} (byte {})", error.message, error.offset + 1),
        )
    }
}

#[cfg(test)]
mod tests;
