//! What a caller sees.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::Instant;

use super::super::{ReleaseOutcome, inspect};
use super::*;

#[test]
fn owner_json_says_who_holds_the_lock() {
    let scene = Scene::new();
    let mut locker = scene.locker();
    let held = locker.acquire(&|| false).unwrap();
    let bytes = fs::read(scene.lock().join("owner.json")).unwrap();
    let owner: Value = serde_json::from_slice(&bytes).unwrap();
    let machine = Machine::here();
    assert_eq!(owner["pid"], std::process::id());
    assert_eq!(owner["token"].as_str().unwrap().len(), 32);
    let created = owner["createdAt"].as_str().unwrap();
    assert_eq!(created.len(), "2026-08-24T09:15:30.000Z".len());
    assert!(created.ends_with('Z') && created.as_bytes()[19] == b'.');
    assert_eq!(owner["host"], json!(machine.host));
    assert_eq!(owner["bootId"], json!(machine.boot_id));
    assert_eq!(owner["pidNamespace"], json!(machine.pid_namespace));
    assert_eq!(owner["startTime"], json!(own_start_time()));
    assert_eq!(owner["flock"], true);
    assert_eq!(held.release().unwrap(), ReleaseOutcome::Released);
    // Another time, another token, in the same directory.
    let before = scene.leftovers();
    let held = locker.acquire(&|| false).unwrap();
    assert_ne!(token_at(&scene.lock()), owner["token"].as_str().unwrap());
    drop(held);
    assert_eq!(scene.leftovers(), before);
    drop(locker);
    assert_eq!(fs::read_dir(scene.dir.path()).unwrap().count(), 0);
}

#[test]
fn inspection_is_one_line_of_json() {
    let scene = Scene::new();
    let line = serde_json::to_value(inspect(&scene.journal, &impatient()).unwrap()).unwrap();
    assert_eq!(line["held"], false);
    assert_eq!(line["reclaimable"], false);
    let mut locker = scene.locker();
    let _held = locker.acquire(&|| false).unwrap();
    let line = serde_json::to_value(inspect(&scene.journal, &impatient()).unwrap()).unwrap();
    assert_eq!(line["lock"], scene.lock().to_str().unwrap());
    assert_eq!(line["held"], true);
    assert_eq!(line["owner"]["pid"], std::process::id());
    assert!(line["ageMs"].as_u64().unwrap() < 60_000);
    assert_eq!(line["reclaimable"], false);
    assert!(line["reason"].as_str().unwrap().contains("flock"));
    assert!(!serde_json::to_string(&line).unwrap().contains('\n'));
}

#[test]
fn stop_ends_the_wait() {
    let scene = Scene::new();
    scene.plant(&own_owner("a", 0));
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() == 3
    };
    let mut locker = Locker::new(&scene.journal, patient()).unwrap();
    assert!(matches!(locker.acquire(&stop), Err(LockError::Stopped)));
    // Inside one process too.
    fs::remove_dir_all(scene.lock()).unwrap();
    let held = locker.acquire(&|| false).unwrap();
    asked.set(0);
    let mut second = Locker::new(&scene.journal, patient()).unwrap();
    assert!(matches!(second.acquire(&stop), Err(LockError::Stopped)));
    let mut third = scene.locker();
    assert!(refusal(&mut third).contains("another part of this process"));
    drop(held);
    third.acquire(&|| false).unwrap();
}

#[test]
fn the_wait_begins_anew_with_each_owner_but_ends_after_twenty_times() {
    let scene = Scene::new();
    scene.plant(&own_owner("0", 0));
    let count = Cell::new(0_u64);
    let lock = scene.lock();
    // Asked after each try: each time another owner.
    let stop = || {
        count.set(count.get() + 1);
        let owner = own_owner(&count.get().to_string(), 0).to_string();
        fs::write(lock.join("owner.json"), owner).unwrap();
        false
    };
    let begun = Instant::now();
    assert!(scene.locker().acquire(&stop).is_err());
    let taken = begun.elapsed();
    assert!(taken >= Duration::from_millis(800), "{taken:?}");
    assert!(taken < Duration::from_millis(4000), "{taken:?}");
}

#[test]
fn no_patience_is_one_try() {
    let scene = Scene::new();
    let options = LockOptions {
        timeout: Duration::ZERO,
        ..LockOptions::default()
    };
    let mut locker = Locker::new(&scene.journal, options).unwrap();
    locker.acquire(&|| false).unwrap().release().unwrap();
    scene.plant(&own_owner("a", 0));
    assert!(refusal(&mut locker).contains("pid"));
    fs::remove_dir_all(scene.lock()).unwrap();
    scene.plant(&dead_owner("a", 9));
    locker.acquire(&|| false).unwrap().release().unwrap();
}

#[test]
fn places_where_no_lock_can_be() {
    let scene = Scene::new();
    assert!(Locker::new(Path::new("/"), impatient()).is_err());
    let missing = scene.dir.path().join("missing/events.jsonl");
    assert!(Locker::new(&missing, impatient()).is_err());
    let long = scene.dir.path().join("x".repeat(250));
    let mut locker = Locker::new(&long, impatient()).unwrap();
    assert!(matches!(
        locker.acquire(&|| false),
        Err(LockError::Io { .. })
    ));
    let mut locker = scene.locker();
    fs::remove_dir(scene.dir.path()).unwrap();
    assert!(matches!(
        locker.acquire(&|| false),
        Err(LockError::Io { .. })
    ));
    fs::create_dir(scene.dir.path()).unwrap();
    locker.acquire(&|| false).unwrap().release().unwrap();
}

#[test]
fn the_advice_can_be_pasted() {
    let scene = Scene::new();
    let journal = scene.dir.path().join("a b\n.jsonl");
    fs::create_dir(scene.dir.path().join("a b\n.jsonl.lock")).unwrap();
    let message = refusal(&mut Locker::new(&journal, impatient()).unwrap());
    assert!(message.contains("a b\\n.jsonl.lock\""), "{message}");
}

/// Not a claim, only a look: `--nocapture` prints it.
#[test]
fn what_it_costs() {
    let scene = Scene::new();
    let mut locker = scene.locker();
    let times = 3000_u32;
    let begun = Instant::now();
    for _ in 0..times {
        let held = locker.acquire(&|| false).unwrap();
        assert!(held.still_ours().unwrap());
        held.release().unwrap();
    }
    let each = begun.elapsed() / times;
    assert!(each < Duration::from_millis(2), "{each:?}");
    let begun = Instant::now();
    for _ in 0..100 {
        scene.locker().acquire(&|| false).unwrap();
    }
    let whole = begun.elapsed() / 100;
    let text = format!("{whole:?} for a new locker; {each:?} for taking, checking and releasing\n");
    std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()).unwrap();
}
