//! Writes the man pages and shell completions from the programs' own definitions:
//! `cargo run --example gen -- FOLDER`. What clap cannot know (EXIT STATUS, FILES, LIMITS,
//! EXAMPLES, SEE ALSO) is in man/tails/PAGE, appended as it is, except that a line
//! `.\" include NAME` stands for man/tails/NAME, which several pages share.

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};

#[path = "../bins/evosci2lc/cli.rs"]
mod evosci2lc;
#[path = "../bins/lcjournal/cli.rs"]
mod lcjournal;
#[path = "../bins/lcproject/cli.rs"]
mod lcproject;
#[path = "../bins/lcsnap/cli.rs"]
mod lcsnap;

/// Fixed, so that pages change only when their text does.
const DATE: &str = "2026-11-30";

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| "man".into()));
    std::fs::create_dir_all(folder.join("completions"))?;
    for (name, bytes) in render() {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

/// Every page and completion: the name under man/, and the content.
pub(crate) fn render() -> Vec<(String, Vec<u8>)> {
    let programs = [
        evosci2lc::Cli::command(),
        lcjournal::Cli::command(),
        lcproject::Cli::command(),
        lcsnap::Cli::command(),
    ];
    programs
        .into_iter()
        .flat_map(|program| pages(&program).into_iter().chain(completions(program)))
        .chain([written("lctools-journal", "5")])
        .collect()
}

/// A page of no program: all of it but its head is in man/tails.
fn written(name: &str, section: &str) -> (String, Vec<u8>) {
    let page = format!("{name}.{section}");
    let title = name.to_uppercase().replace('-', "\\-");
    let version = env!("CARGO_PKG_VERSION");
    let head = format!(".TH {title} {section} {DATE} \"lctools {version}\" \"lctools manual\"\n");
    let text = [head.into_bytes(), tail(&page)].concat();
    (page, text)
}

fn completions(mut program: Command) -> Vec<(String, Vec<u8>)> {
    let name = program.get_name().to_owned();
    [
        (Shell::Bash, format!("{name}.bash")),
        (Shell::Zsh, format!("_{name}")),
        (Shell::Fish, format!("{name}.fish")),
    ]
    .into_iter()
    .map(|(shell, file)| {
        let mut script = Vec::new();
        generate(shell, &mut program, &name, &mut script);
        (format!("completions/{file}"), script)
    })
    .collect()
}

/// The program's page and one for each of its verbs, as git has them.
fn pages(program: &Command) -> Vec<(String, Vec<u8>)> {
    let mut built = program.clone();
    built.build();
    let verbs = built
        .get_subcommands()
        .filter(|verb| verb.get_name() != "help")
        .map(|verb| {
            let name = format!("{}-{}", program.get_name(), verb.get_name());
            page(
                &name,
                verb.clone()
                    .bin_name(format!("{} {}", program.get_name(), verb.get_name())),
            )
        });
    let verbs: Vec<_> = verbs.collect();
    std::iter::once(page(program.get_name(), program.clone()))
        .chain(verbs)
        .collect()
}

fn page(name: &str, command: Command) -> (String, Vec<u8>) {
    let version = format!("lctools {}", env!("CARGO_PKG_VERSION"));
    let leaf: &'static str = Box::leak(name.to_owned().into_boxed_str());
    let man = clap_mangen::Man::new(command.name(leaf).after_help("").after_long_help(""))
        .title(name.to_uppercase())
        .section("1")
        .date(DATE)
        .source(version)
        .manual("lctools manual");
    let mut text = Vec::new();
    // Writing into memory cannot fail.
    let _ = man.render_title(&mut text);
    let _ = man.render_name_section(&mut text);
    let _ = man.render_synopsis_section(&mut text);
    let _ = man.render_description_section(&mut text);
    let _ = man.render_options_section(&mut text);
    if man_has_verbs(name) {
        let _ = man.render_subcommands_section(&mut text);
    }
    // An empty line between two breaks is what mandoc's lint complains of.
    let mut text = String::from_utf8_lossy(&text)
        .replace(".br\n\n.br\n", ".br\n")
        .into_bytes();
    text.extend(tail(&format!("{name}.1")));
    (format!("{name}.1"), text)
}

/// A hand-written part, with what it includes.
fn tail(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("man/tails")
        .join(name);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut expanded = Vec::new();
    for line in text.lines() {
        match line.strip_prefix(".\\\" include ") {
            Some(shared) => expanded.extend(tail(shared)),
            None => expanded.extend([line.as_bytes(), b"\n"].concat()),
        }
    }
    expanded
}

fn man_has_verbs(name: &str) -> bool {
    matches!(name, "lcjournal" | "lcsnap")
}
