//! The committed man pages and completions are what the programs' definitions give.

#[path = "../man/gen.rs"]
#[allow(dead_code, unreachable_pub)]
mod generator;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness;

#[test]
fn pages_and_completions_are_current() {
    let mut stale = Vec::new();
    let rendered: BTreeMap<_, _> = generator::render().into_iter().collect();
    for (name, bytes) in &rendered {
        let committed = fs::read(harness::root().join("man").join(name)).unwrap_or_default();
        if &committed != bytes {
            stale.push(name.as_str());
        }
    }
    assert!(stale.is_empty(), "run `make man`: {stale:?}");
    for folder in ["", "completions"] {
        for entry in fs::read_dir(harness::root().join("man").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(harness::root().join("man")).unwrap();
            let name = name.to_str().unwrap();
            let generated = path.is_file() && !name.ends_with(".rs");
            assert!(
                !generated || rendered.contains_key(name),
                "{name} is made by nobody"
            );
        }
    }
}

#[test]
fn pages_render_without_a_warning() {
    let pages = generator::render()
        .into_iter()
        .filter(|(name, _)| !name.contains('/'));
    let names: Vec<_> = pages.map(|(name, _)| name).collect();
    assert!(names.len() >= 3, "{names:?}");
    let lint = Command::new("mandoc")
        .args(["-Tlint", "-Wwarning"])
        .args(&names)
        .current_dir(harness::root().join("man"))
        .output()
        .expect("mandoc is needed: apt-get install mandoc");
    let said = harness::text(&lint.stdout);
    assert!(said.is_empty() && lint.status.success(), "{said}");
}

#[test]
fn completions_load() {
    for (name, _) in harness::PROGRAMS {
        let folder = harness::root().join("man/completions");
        for (shell, script) in [
            (
                "bash",
                format!("source ./{name}.bash && complete -p {name}"),
            ),
            (
                "zsh",
                format!(
                    "autoload -Uz compinit && compinit -D -u && source ./_{name} && (( $+functions[_{name}] ))"
                ),
            ),
            (
                "fish",
                format!("source ./{name}.fish; and complete -c {name} | string length -q"),
            ),
        ] {
            let output = Command::new(shell)
                .arg("-c")
                .arg(&script)
                .current_dir(&folder)
                .env("HOME", Path::new(env!("CARGO_TARGET_TMPDIR")))
                .output()
                .unwrap_or_else(|error| panic!("{shell} is needed: {error}"));
            let said = harness::text(&output.stderr);
            assert!(
                output.status.success() && said.is_empty(),
                "{shell} {name}: {said}"
            );
        }
    }
}
