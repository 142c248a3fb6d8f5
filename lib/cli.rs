//! Options that every program has, so that they are spelled and explained once.

use std::io::Write as _;

use clap::builder::PossibleValuesParser;
use clap::{Args, CommandFactory, Parser};

use crate::exit::{Exit, Failure};
use crate::finding::{Code, Findings, Options};
use crate::pump::{BrokenPipe, Context, MAX_MIXED_BYTES, Settings, Source, pour};
use crate::schema;

/// Reads the command line. A usage error ends the program with 2, said as clap says it, or as one
/// JSON line where `--findings-json` is among the arguments. What [`SchemaArgs`] asks for is
/// answered here, as `--help` is: the program ends with it.
#[must_use]
pub fn parse<C: Parser>(program: &'static str) -> C {
    if let Some(schema) = schema_asked_for(C::command()) {
        std::process::exit(i32::from(print(program, schema).code()));
    }
    C::try_parse().unwrap_or_else(|error| refuse(program, &error))
}

/// The schema to be printed. Whatever is wrong with the command line, the real parse will say.
fn schema_asked_for(command: clap::Command) -> Option<&'static str> {
    // A schema needs no verb.
    let matches = command.subcommand_required(false).try_get_matches().ok()?;
    let name = matches.try_get_one::<String>("schema").ok().flatten()?;
    schema::get(name)
}

fn print(program: &'static str, schema: &'static str) -> Exit {
    let settings = Settings {
        program,
        files: Vec::new(),
        cap: MAX_MIXED_BYTES,
        findings: Options::default(),
        broken_pipe: BrokenPipe::Die,
    };
    pour(settings, &mut Text(schema))
}

/// One text, poured out whole.
struct Text(&'static str);

impl Source for Text {
    fn pour(&mut self, cx: &mut Context<'_>) -> Result<Option<Exit>, Failure> {
        cx.out.extend_from_slice(self.0.as_bytes());
        Ok(Some(Exit::Done))
    }
}

/// Ends the program with a usage error that only a look at several options can tell.
pub fn conflict<C: CommandFactory>(program: &'static str, message: &str) -> ! {
    let error = C::command().error(clap::error::ErrorKind::ArgumentConflict, message);
    refuse(program, &error)
}

fn refuse(program: &'static str, error: &clap::Error) -> ! {
    let as_json = std::env::args_os().any(|argument| argument == "--findings-json");
    if !as_json || !error.use_stderr() {
        error.exit();
    }
    let options = Options {
        json: true,
        ..Options::default()
    };
    let text = error.to_string();
    let message = text
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ");
    Findings::new(program, options).failure(&Failure::message(Exit::Usage, message));
    // Nothing was begun, so nothing is cut short.
    let _ = std::io::stderr().flush();
    std::process::exit(i32::from(Exit::Usage.code()))
}

/// How findings are said.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Findings")]
pub struct FindingArgs {
    /// Show at most N findings in full; the rest are counted by code
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub max_findings: u64,

    /// Write everything on stderr as JSONL
    #[arg(long)]
    pub findings_json: bool,

    /// Report findings of this code, but do not count them (repeatable)
    #[arg(long, value_name = "CODE")]
    pub allow: Vec<Code>,
}

impl FindingArgs {
    /// The options for [`crate::finding::Findings`]; `strict` where the program has `--strict`.
    #[must_use]
    pub fn options(&self, strict: bool) -> Options {
        Options {
            max: self.max_findings,
            json: self.findings_json,
            allow: self.allow.clone(),
            strict,
        }
    }
}

/// The JSON Schemas of the toolkit's records; [`parse`] answers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Other")]
pub struct SchemaArgs {
    /// Print the JSON Schema of the records of that name, and end
    #[arg(long, value_name = "NAME", exclusive = true)]
    #[arg(value_parser = PossibleValuesParser::new(schema::names()))]
    pub schema: Option<String>,
}
