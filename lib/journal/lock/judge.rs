//! May this lock be taken over? Age and proof of death, both; a doubt is a no.
//!
//! A function of what was read: the owner, the directory's time, the machine, the clock. Only the
//! probe asks the running system. The rules are the contract's; where it is silent a field that an
//! owner does not record is taken as ours, at the price of the longer age, and a field that it
//! does record must match.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::LockOptions;
use super::evidence::{Flock, Machine, Probe, Process, namespace_number};
use super::owner::{Owner, shown};

/// How much earlier than the boot a `createdAt` must be: the wall clock is slewed all the time.
const BOOT_MARGIN: SignedDuration = SignedDuration::from_secs(1);

/// The answer, with its reason for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) reclaimable: bool,
    /// How old the lock is; zero if both its times lie in the future.
    pub(super) age: Duration,
    pub(super) reason: String,
}

/// What is known of the owner's life.
enum Life {
    /// Proved, by full evidence or by less.
    Dead { full: bool, why: String },
    /// Alive, or not proved dead.
    Perhaps(String),
}

/// Judges an owner. `changed` is the lock directory's mtime, `now` the wall clock.
pub(super) fn judge(
    owner: &Owner,
    changed: Timestamp,
    now: Timestamp,
    machine: &Machine,
    options: &LockOptions,
    probe: &dyn Probe,
) -> Verdict {
    let age = age(owner.created_at.as_deref(), changed, now);
    let (full, why) = match life(owner, machine, probe) {
        Life::Dead { full, why } => (full, why),
        Life::Perhaps(reason) => {
            return Verdict {
                reclaimable: false,
                age,
                reason,
            };
        }
    };
    let needed = if full {
        options.stale_full
    } else {
        options.stale_pid_only
    };
    let reclaimable = age >= needed;
    let reason = if reclaimable {
        format!("{why}, and the lock is {} old", seconds(age))
    } else {
        let (age, needed) = (seconds(age), seconds(needed));
        format!("{why}, but the lock is only {age} old: it is taken over from {needed} on")
    };
    Verdict {
        reclaimable,
        age,
        reason,
    }
}

/// Now − createdAt; the directory's mtime where that is unreadable or in the future.
pub(super) fn age(created: Option<&str>, changed: Timestamp, now: Timestamp) -> Duration {
    let since = |time: Timestamp| Duration::try_from(now.duration_since(time)).ok();
    created
        .and_then(|text| text.parse::<Timestamp>().ok())
        .and_then(since)
        .or_else(|| since(changed))
        .unwrap_or_default()
}

fn seconds(duration: Duration) -> String {
    if duration < Duration::from_secs(10) {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} s", duration.as_secs())
    }
}

/// Which machine, and which boot of it, the owner belongs to.
fn life(owner: &Owner, machine: &Machine, probe: &dyn Probe) -> Life {
    match (&owner.boot_id, &machine.boot_id) {
        // An equal boot id means this machine, whatever the host name: containers have their own.
        (Some(theirs), Some(ours)) if theirs == ours => life_here(owner, machine, probe, true),
        (Some(_), Some(_)) => {
            let host = same(&owner.host, &machine.host);
            if host && same(&owner.machine_id, &machine.machine_id) {
                let why = "its owner belongs to an earlier boot of this machine".to_owned();
                return Life::Dead { full: true, why };
            }
            Life::Perhaps(match &owner.host {
                Some(name) if !host => format!(
                    "its owner is on another host, {}, where it cannot be seen from here",
                    shown(name)
                ),
                _ => "its owner belongs to another boot and it is not proved of which machine: \
                      host name and machine id are not both equal"
                    .to_owned(),
            })
        }
        (Some(_), None) => Life::Perhaps("the boot id of this machine cannot be read".to_owned()),
        (None, _) => life_without_boot(owner, machine, probe),
    }
}

fn same(theirs: &Option<String>, ours: &Option<String>) -> bool {
    theirs.is_some() && theirs == ours
}

/// An owner that records no boot id is taken as of this machine, unless it says otherwise.
fn life_without_boot(owner: &Owner, machine: &Machine, probe: &dyn Probe) -> Life {
    if let Some(host) = &owner.host
        && machine.host.as_ref() != Some(host)
    {
        return Life::Perhaps(format!(
            "its owner is on another host, {}, where it cannot be seen from here",
            shown(host)
        ));
    }
    if owner.machine_id.is_some() && owner.machine_id != machine.machine_id {
        return Life::Perhaps("its owner is on another machine".to_owned());
    }
    life_here(owner, machine, probe, false)
}

/// An owner on this machine: a free flock where it says that it holds one; else its pid.
fn life_here(owner: &Owner, machine: &Machine, probe: &dyn Probe, boot_known: bool) -> Life {
    if owner.flock {
        return match probe.flock() {
            Flock::Free => {
                let why = "the flock that its owner held for life is free".to_owned();
                Life::Dead {
                    full: boot_known,
                    why,
                }
            }
            Flock::Busy => Life::Perhaps("its owner lives: it holds the flock".to_owned()),
            Flock::Unknown(why) => {
                Life::Perhaps(format!("its owner's flock cannot be tried: {why}"))
            }
        };
    }
    if !boot_known && created_before_boot(owner, machine) {
        let why = "it was made before this machine was started".to_owned();
        return Life::Dead { full: false, why };
    }
    let Some(pid) = owner.pid else {
        return Life::Perhaps("its owner gives no usable pid".to_owned());
    };
    let ours = machine.pid_namespace.as_deref().map(namespace_number);
    if let Some(theirs) = &owner.pid_namespace
        && ours != Some(namespace_number(theirs))
    {
        return Life::Perhaps(format!(
            "its owner is in another pid namespace, where pid {pid} cannot be seen from here"
        ));
    }
    let full = boot_known && owner.pid_namespace.is_some();
    match (probe.process(pid), owner.start_time) {
        (Process::Gone, _) => Life::Dead {
            full,
            why: format!("its owner, pid {pid}, is gone"),
        },
        (
            Process::Alive {
                start_time: Some(now),
            },
            Some(then),
        ) if now != then => Life::Dead {
            full,
            why: format!("pid {pid} is another process by now"),
        },
        _ => Life::Perhaps(format!("its owner, pid {pid}, is alive")),
    }
}

fn created_before_boot(owner: &Owner, machine: &Machine) -> bool {
    let created = owner
        .created_at
        .as_deref()
        .and_then(|text| text.parse::<Timestamp>().ok());
    match (created, machine.boot_time) {
        (Some(created), Some(boot)) => boot.duration_since(created) > BOOT_MARGIN,
        _ => false,
    }
}
