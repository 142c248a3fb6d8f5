//! Tests of the lock. Whatever is stopped or killed here was started here.

mod child;
mod contention;
mod crash;
mod doubts;
mod evidence;
mod left;
mod leftovers;
mod races;
pub(super) mod steps;
mod table;
mod usage;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rustix::fs::FlockOperation;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::evidence::{Machine, own_start_time};
use super::{LockError, LockOptions, Locker};

/// A directory with the path of a journal in it, which need not exist.
struct Scene {
    dir: TempDir,
    journal: PathBuf,
}

impl Scene {
    fn new() -> Scene {
        let dir = tempfile::tempdir().unwrap();
        let journal = dir.path().join("events.jsonl");
        Scene { dir, journal }
    }

    fn lock(&self) -> PathBuf {
        self.dir.path().join("events.jsonl.lock")
    }

    fn locker(&self) -> Locker {
        Locker::new(&self.journal, impatient()).unwrap()
    }

    /// Leaves a lock with this owner.json.
    fn plant(&self, owner: &Value) {
        plant_at(&self.lock(), owner);
    }

    /// Every name beside the journal that begins like its lock, but for the lock.
    fn leftovers(&self) -> Vec<String> {
        let names = fs::read_dir(self.dir.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with("events.jsonl.lock."))
            .collect()
    }
}

fn plant_at(lock: &Path, owner: &Value) {
    fs::create_dir(lock).unwrap();
    fs::write(lock.join("owner.json"), owner.to_string()).unwrap();
}

/// Little patience; the ages as by default.
fn impatient() -> LockOptions {
    LockOptions {
        timeout: Duration::from_millis(40),
        ..LockOptions::default()
    }
}

fn patient() -> LockOptions {
    LockOptions {
        timeout: Duration::from_secs(30),
        ..LockOptions::default()
    }
}

/// Patient, and takes over whatever is proved dead, however young.
fn rushed() -> LockOptions {
    LockOptions {
        stale_full: Duration::ZERO,
        ..patient()
    }
}

fn ago(seconds: i64) -> String {
    format!(
        "{:.3}",
        Timestamp::now() - SignedDuration::from_secs(seconds)
    )
}

/// An owner.json of this very process, without a flock.
fn own_owner(token: &str, seconds: i64) -> Value {
    let machine = Machine::here();
    json!({
        "pid": std::process::id(), "token": token, "createdAt": ago(seconds),
        "host": machine.host, "machineId": machine.machine_id, "bootId": machine.boot_id,
        "pidNamespace": machine.pid_namespace, "startTime": own_start_time(), "flock": false,
    })
}

/// The same process in an earlier life: the lock of a dead owner with full evidence.
fn dead_owner(token: &str, seconds: i64) -> Value {
    let mut owner = own_owner(token, seconds);
    owner["startTime"] = json!(1);
    owner
}

fn token_at(dir: &Path) -> String {
    let owner: Value = serde_json::from_slice(&fs::read(dir.join("owner.json")).unwrap()).unwrap();
    owner["token"].as_str().unwrap().to_owned()
}

/// The message of a wait that ended.
fn refusal(locker: &mut Locker) -> String {
    match locker.acquire(&|| false) {
        Err(LockError::Timeout { message }) => message,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("the lock was had"),
    }
}

fn flock(file: &fs::File, operation: FlockOperation) {
    rustix::fs::flock(file, operation).unwrap();
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
