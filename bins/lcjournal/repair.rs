//! `lcjournal repair`: says on stdout what was done as one JSON line, and on stderr in words.

use std::path::PathBuf;

use lctools::exit::{Exit, Failure};
use lctools::journal::{Journal, Options, Remedy, RepairOptions, Repaired};
use lctools::pump::{Context, Source, pour};
use serde::Serialize;

use crate::cli::RepairArgs;
use crate::common::{self, Listed};

pub(crate) fn run(args: RepairArgs) -> Exit {
    let settings = common::pour_settings(args.findings.options(false));
    pour(settings, &mut Repair(args))
}

struct Repair(RepairArgs);

impl Source for Repair {
    fn pour(&mut self, cx: &mut Context<'_>) -> Result<Option<Exit>, Failure> {
        let args = &self.0;
        let options = Options {
            lock: common::lock_options(args.lock),
            max_line_bytes: args.cap.max_line_bytes,
            ..Options::default()
        };
        let how = RepairOptions {
            dry_run: args.dry_run,
            drop_damaged: args.drop_damaged,
        };
        let stop = || cx.signals.ending().is_some();
        let repaired = Journal::open(&args.path, options)
            .and_then(|mut journal| journal.repair(how, &stop))
            .map_err(|error| common::failure(&error, "; nothing was changed", cx))?;
        let name = args.path.display().to_string();
        if let Some(words) = in_words(&name, &repaired, args.dry_run) {
            cx.findings.note(&words);
        }
        let line = serde_json::to_vec(&Summary::of(name, repaired, args))
            .map_err(|error| Failure::new(Exit::Internal, error))?;
        cx.out.extend_from_slice(&line);
        cx.out.push(b'\n');
        Ok(Some(Exit::Done))
    }
}

/// What was done, for a person; nothing of a sound journal.
pub(crate) fn in_words(name: &str, repaired: &Repaired, dry_run: bool) -> Option<String> {
    let survey = &repaired.survey;
    let aside = match &repaired.aside {
        Some(aside) => aside.clone(),
        None => format!("{name}.damaged-N"),
    };
    let lines = counted(survey.removed_lines, "line", "lines");
    let moved = format!("{lines} ({} bytes)", survey.removed_bytes);
    let entries = counted(survey.entries, "entry", "entries");
    let would = if dry_run { "would be " } else { "" };
    Some(match survey.remedy {
        Remedy::None => return None,
        Remedy::EndLine => {
            let ended = if dry_run {
                "would be ended"
            } else {
                "was ended"
            };
            format!("{name}: the last line {ended} with LF; the journal has {entries}")
        }
        Remedy::MoveTail { from, .. } => {
            let saved = match survey.saved {
                0 => String::new(),
                saved => format!(
                    " (in them {} whole)",
                    counted(saved, "entry is", "entries are")
                ),
            };
            let bytes = survey.removed_bytes;
            format!(
                "{name}: {would}moved to {aside}: {lines}, {bytes} bytes, from byte {from} \
                 on{saved}; the journal has {entries}"
            )
        }
        Remedy::DropDamaged => {
            let mut text = format!("{name}: ");
            if survey.removed_lines > 0 {
                text += &format!("{would}moved to {aside}: {moved}; ");
            }
            if survey.saved > 0 {
                let saved = counted(survey.saved, "whole entry", "whole entries");
                text += &format!("{would}saved from them: {saved}; ");
            }
            let all = counted(survey.entries + survey.saved, "entry", "entries");
            text + &format!(
                "{would}renumbered: {}; the journal has {all}",
                survey.renumbered
            )
        }
    })
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    #[serde(rename = "type")]
    kind: &'static str,
    journal: String,
    action: &'static str,
    dry_run: bool,
    entries: u64,
    renumbered: u64,
    saved: u64,
    removed_lines: u64,
    removed_bytes: u64,
    moved_to: Option<PathBuf>,
    damage: Vec<Listed>,
    damage_count: u64,
}

impl Summary {
    fn of(journal: String, repaired: Repaired, args: &RepairArgs) -> Summary {
        let survey = repaired.survey;
        let rewritten = survey.remedy == Remedy::DropDamaged;
        Summary {
            kind: "repair",
            journal,
            action: match survey.remedy {
                Remedy::None => "none",
                Remedy::EndLine => "lf_added",
                Remedy::MoveTail { .. } => "tail_moved",
                Remedy::DropDamaged => "damaged_dropped",
            },
            dry_run: args.dry_run,
            entries: survey.entries + if rewritten { survey.saved } else { 0 },
            renumbered: survey.renumbered,
            saved: if rewritten { survey.saved } else { 0 },
            removed_lines: survey.removed_lines,
            removed_bytes: survey.removed_bytes,
            moved_to: repaired.aside.map(PathBuf::from),
            damage: survey.damage.into_iter().map(Listed::from).collect(),
            damage_count: survey.damage_count,
        }
    }
}
