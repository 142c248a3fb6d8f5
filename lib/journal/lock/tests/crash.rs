//! A process killed at every step of taking, taking over, releasing and leaving.

use std::fs;
use std::io::Read;
use std::path::Path;

use super::super::leftovers;
use super::*;

/// Kills a child at each step in turn; `check` looks at what it leaves. How many steps there were.
fn at_every_step(kind: &str, prepare: impl Fn(&Scene), check: impl Fn(&Scene, usize)) -> usize {
    for step in 0..100 {
        let scene = Scene::new();
        prepare(&scene);
        let mut child = child::start(&format!("crash {kind} {step}"), &scene.journal);
        let mut output = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut output)
            .unwrap();
        child.wait().unwrap();
        if output.contains("through\n") {
            assert_eq!(fs::read_dir(scene.dir.path()).unwrap().count(), 0);
            return step;
        }
        check(&scene, step);
    }
    panic!("there is no end to it");
}

/// The lock can be had at once, and in the end nothing is left of the dead.
fn is_had(scene: &Scene, step: usize) {
    let options = rushed();
    let mut locker = Locker::new(&scene.journal, options).unwrap();
    let held = locker
        .acquire(&|| false)
        .unwrap_or_else(|error| panic!("step {step}: {error}"));
    held.release().unwrap();
    drop(locker);
    assert!(!scene.lock().exists());
}

fn age_of(path: &Path) -> Duration {
    fs::metadata(path)
        .unwrap()
        .modified()
        .unwrap()
        .elapsed()
        .unwrap_or_default()
}

#[test]
fn taking_and_releasing() {
    let steps = at_every_step("usual", |_| {}, is_had);
    assert!(steps >= 12, "{steps}");
}

#[test]
fn taking_over() {
    let steps = at_every_step("usual", |scene| scene.plant(&dead_owner("d", 9)), is_had);
    assert!(steps >= 17, "{steps}");
}

/// Without RENAME_NOREPLACE a directory is made first and filled second: killed just in between,
/// it stays without an owner, and is refused with a word on what to remove. Nowhere else.
#[test]
fn without_noreplace() {
    let ownerless = std::cell::Cell::new(0);
    let check = |scene: &Scene, step: usize| {
        let lock = scene.lock();
        if lock.exists() && !lock.join("owner.json").exists() {
            ownerless.set(ownerless.get() + 1);
            assert!(refusal(&mut scene.locker()).contains("rm -r"));
        } else {
            is_had(scene, step);
        }
    };
    at_every_step("plain", |_| {}, check);
    assert_eq!(
        ownerless.get(),
        2,
        "once for each of the two times the lock is taken"
    );
}

#[test]
fn what_the_dead_leave_is_cleared() {
    let scene = Scene::new();
    for step in [1, 2, 3, 4, 5, 6] {
        let mut child = child::start(&format!("crash usual {step}"), &scene.journal);
        child.wait().unwrap();
    }
    assert!(!scene.leftovers().is_empty());
    let lock = scene.locker();
    leftovers::clear(&lock.place);
    assert!(!scene.leftovers().is_empty(), "too young to be looked at");
    wait_until("they settle", || {
        scene
            .leftovers()
            .iter()
            .all(|name| age_of(&scene.dir.path().join(name)) > Duration::from_millis(2100))
    });
    leftovers::clear(&lock.place);
    assert_eq!(scene.leftovers(), [""; 0]);
}
