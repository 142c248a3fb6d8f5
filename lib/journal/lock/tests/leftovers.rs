//! Leftovers are cleared on a free flock only, and only what bears exactly such a name.

use std::fs::{self, File};
use std::path::PathBuf;

use super::super::leftovers::clear;
use super::*;

fn leave(scene: &Scene, name: &str) -> PathBuf {
    let path = scene.dir.path().join(format!("events.jsonl.lock.{name}"));
    plant_at(&path, &dead_owner("x", 9));
    path
}

fn settle() {
    std::thread::sleep(Duration::from_millis(2050));
}

#[test]
fn whose_flock_is_free() {
    let scene = Scene::new();
    let free = leave(&scene, "12-00112233445566aa");
    let busy = leave(&scene, "12-00112233445566bb");
    let empty = scene
        .dir
        .path()
        .join("events.jsonl.lock.1-00112233445566cc");
    fs::create_dir(&empty).unwrap();
    let others = [
        "12-0011",
        "12-00112233445566AA",
        "x-00112233445566aa",
        "12",
        "12-00112233445566aag",
    ];
    let others = others.map(|name| leave(&scene, name));
    let data = leave(&scene, "9-00112233445566dd");
    fs::write(data.join("precious"), "").unwrap();
    let file = File::open(busy.join("owner.json")).unwrap();
    flock(&file, FlockOperation::NonBlockingLockExclusive);
    settle();
    let mut locker = scene.locker();
    locker.acquire(&|| false).unwrap().release().unwrap();
    assert!(!free.exists() && !empty.exists() && busy.exists());
    assert!(others.iter().all(|path| path.join("owner.json").exists()));
    let names = scene.leftovers();
    let precious = |name: &&String| scene.dir.path().join(name).join("precious").exists();
    assert_eq!(names.iter().filter(precious).count(), 1);
    drop(file);
    clear(&locker.place);
    assert!(!busy.exists());
}

#[test]
fn one_that_becomes_the_lock_meanwhile_is_left_alone() {
    let scene = Scene::new();
    let aside = leave(&scene, "12-00112233445566aa");
    settle();
    let lock = scene.lock();
    let from = aside.clone();
    steps::once_at("found a leftover", move || fs::rename(from, lock).unwrap());
    clear(&scene.locker().place);
    steps::none();
    assert_eq!(token_at(&scene.lock()), "x");
    assert!(!aside.exists());
}

#[test]
fn ones_own_gone_is_made_anew() {
    let scene = Scene::new();
    let mut locker = scene.locker();
    locker.acquire(&|| false).unwrap().release().unwrap();
    for whole in [true, false] {
        let path = scene.dir.path().join(&scene.leftovers()[0]);
        if whole {
            fs::remove_dir_all(&path).unwrap();
        } else {
            fs::remove_file(path.join("owner.json")).unwrap();
        }
        let held = locker.acquire(&|| false).unwrap();
        assert!(held.still_ours().unwrap());
        held.release().unwrap();
    }
}

/// Somebody takes the directory away while it is being made: under each of its steps.
#[test]
fn ones_own_taken_away_while_it_is_made() {
    for step in [
        "create owner.json",
        "flock owner.json",
        "write owner.json",
        "take the lock",
    ] {
        let scene = Scene::new();
        let dir = scene.dir.path().to_owned();
        steps::once_at(step, move || {
            for entry in fs::read_dir(dir).unwrap() {
                fs::remove_dir_all(entry.unwrap().path()).unwrap();
            }
        });
        let mut locker = scene.locker();
        let held = locker.acquire(&|| false).unwrap();
        steps::none();
        assert!(held.still_ours().unwrap(), "{step}");
        held.release().unwrap();
    }
}

/// Somebody who takes our new directory for a leftover holds its owner.json for a moment.
#[test]
fn ones_own_busy_is_made_anew() {
    let scene = Scene::new();
    let dir = scene.dir.path().to_owned();
    let kept = std::rc::Rc::new(std::cell::RefCell::new(None));
    let keep = std::rc::Rc::clone(&kept);
    steps::once_at("flock owner.json", move || {
        let path = fs::read_dir(dir).unwrap().next().unwrap().unwrap().path();
        let file = File::open(path.join("owner.json")).unwrap();
        flock(&file, FlockOperation::NonBlockingLockShared);
        *keep.borrow_mut() = Some(file);
    });
    let mut locker = scene.locker();
    let held = locker.acquire(&|| false).unwrap();
    steps::none();
    assert!(held.still_ours().unwrap());
    assert_eq!(scene.leftovers().len(), 1);
}
