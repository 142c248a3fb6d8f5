//! The examples in README and man pages are run, and must print what they show.
//!
//! In README an example is a ```console block, in a page's tail an `.EX` … `.EE` block; lines
//! after `$ ` are commands, what follows each is its output, stdout and stderr together. The
//! commands of one block share a scratch folder in which `tests/fixtures` is found.

use std::fs;
use std::path::Path;

use crate::harness;

struct Example {
    place: String,
    commands: Vec<(String, String)>,
}

#[test]
fn the_examples_of_the_readme_print_what_they_show() {
    let text = fs::read_to_string(harness::root().join("README.md")).unwrap();
    let examples = blocks("README.md", &text, "```console", "```", str::to_owned);
    assert!(examples.len() >= 3, "only {} examples", examples.len());
    run_all(&examples);
}

#[test]
fn the_examples_of_the_pages_print_what_they_show() {
    let mut examples = Vec::new();
    for entry in fs::read_dir(harness::root().join("man/tails")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        examples.extend(blocks(&name, &text, ".EX", ".EE", plain));
    }
    assert!(examples.len() >= 3, "only {} examples", examples.len());
    run_all(&examples);
}

/// A line of roff as it is shown.
fn plain(line: &str) -> String {
    line.replace("\\-", "-")
        .replace("\\(aq", "'")
        .replace("\\(ha", "^")
        .replace("\\(ti", "~")
        .replace("\\&", "")
        .replace("\\e", "\\")
}

fn blocks(
    name: &str,
    text: &str,
    open: &str,
    close: &str,
    decode: fn(&str) -> String,
) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut block: Option<Example> = None;
    for (number, line) in text.lines().enumerate() {
        if line == open {
            block = Some(Example {
                place: format!("{name}:{}", number + 1),
                commands: Vec::new(),
            });
        } else if line == close {
            examples.extend(block.take().filter(|example| !example.commands.is_empty()));
        } else if let Some(example) = &mut block {
            put(example, &decode(line));
        }
    }
    examples
}

fn put(example: &mut Example, line: &str) {
    if let Some(command) = line.strip_prefix("$ ") {
        example.commands.push((command.to_owned(), String::new()));
    } else if let Some((command, output)) = example.commands.last_mut() {
        let continues = output.is_empty() && command.ends_with(['\\', '|']);
        let target = if continues { command } else { output };
        if continues {
            target.push('\n');
        }
        target.push_str(line);
        if !continues {
            target.push('\n');
        }
    }
}

fn run_all(examples: &[Example]) {
    let mut wrong = Vec::new();
    for example in examples {
        let scratch = tempfile::tempdir().unwrap();
        link_fixtures(scratch.path());
        for (command, expected) in &example.commands {
            let output = harness::run(&format!("exec 2>&1\n{command}"), scratch.path());
            let found = harness::text(&output.stdout);
            if found.trim_end() != expected.trim_end() {
                wrong.push(format!("{}: $ {command}\n{found}", example.place));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "these print something else:\n{}",
        wrong.join("\n")
    );
}

fn link_fixtures(scratch: &Path) {
    fs::create_dir(scratch.join("tests")).unwrap();
    let fixtures = harness::root().join("tests/fixtures");
    std::os::unix::fs::symlink(fixtures, scratch.join("tests/fixtures")).unwrap();
}
