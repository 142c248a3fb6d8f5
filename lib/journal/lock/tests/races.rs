//! What others do between two of our steps.

use std::fs;

use super::super::ReleaseOutcome;
use super::super::reclaim::{Reclaimed, reclaim};
use super::super::sight::Sight;
use super::*;

/// Takes the lock over as somebody else would, by hand.
fn replace_lock(scene: &Scene, owner: &serde_json::Value) -> impl FnOnce() + 'static {
    let lock = scene.lock();
    let owner = owner.clone();
    move || {
        fs::remove_dir_all(&lock).unwrap();
        plant_at(&lock, &owner);
    }
}

fn reclaim_now(locker: &Locker) -> Reclaimed {
    let sight = Sight::of(locker.place.lock()).unwrap().unwrap();
    reclaim(&locker.place, sight, &locker.machine, &locker.options).unwrap()
}

#[test]
fn a_wrong_catch_of_taking_over_is_put_back() {
    for plain in [false, true] {
        let scene = Scene::new();
        scene.plant(&dead_owner("dead", 9));
        steps::once_at("judged dead", replace_lock(&scene, &own_owner("live", 0)));
        let locker = scene.locker();
        if plain {
            locker.place.force_plain();
        }
        assert_eq!(reclaim_now(&locker), Reclaimed::Changed);
        steps::none();
        assert_eq!(token_at(&scene.lock()), "live");
        assert_eq!(scene.leftovers(), [""; 0]);
    }
}

#[test]
fn the_same_directory_with_another_token_is_a_wrong_catch() {
    let scene = Scene::new();
    scene.plant(&dead_owner("dead", 9));
    let owner_file = scene.lock().join("owner.json");
    let fresh = dead_owner("again", 9).to_string();
    steps::once_at("judged dead", move || fs::write(owner_file, fresh).unwrap());
    assert_eq!(reclaim_now(&scene.locker()), Reclaimed::Changed);
    steps::none();
    assert_eq!(token_at(&scene.lock()), "again");
}

#[test]
fn a_wrong_catch_does_not_displace_who_came_after() {
    let scene = Scene::new();
    scene.plant(&dead_owner("dead", 9));
    let first = replace_lock(&scene, &own_owner("first", 0));
    let lock = scene.lock();
    let mut first = Some(first);
    steps::at_each(move |step| match step {
        "judged dead" => first.take().unwrap()(),
        // An empty directory, just made: what a plain rename would replace.
        "put a wrong catch back" => fs::create_dir(&lock).unwrap(),
        _ => {}
    });
    assert_eq!(reclaim_now(&scene.locker()), Reclaimed::Changed);
    steps::none();
    assert!(!scene.lock().join("owner.json").exists());
    assert_eq!(scene.leftovers().len(), 1);
}

#[test]
fn a_lock_that_changed_before_it_was_flocked_is_looked_at_again() {
    let scene = Scene::new();
    scene.plant(&dead_owner("dead", 9));
    let again = replace_lock(&scene, &dead_owner("dead", 9));
    steps::once_at("flock the dead directory", again);
    assert_eq!(reclaim_now(&scene.locker()), Reclaimed::Changed);
    // In the same directory, alive again.
    let owner_file = scene.lock().join("owner.json");
    let alive = own_owner("alive", 9).to_string();
    steps::once_at("flock the dead directory", move || {
        fs::write(owner_file, alive).unwrap()
    });
    assert!(matches!(reclaim_now(&scene.locker()), Reclaimed::No(why) if why.contains("alive")));
    steps::none();
    assert_eq!(token_at(&scene.lock()), "alive");
}

#[test]
fn only_one_takes_over_at_a_time() {
    let scene = Scene::new();
    scene.plant(&dead_owner("dead", 9));
    let first = fs::File::open(scene.lock()).unwrap();
    flock(&first, FlockOperation::NonBlockingLockExclusive);
    let refused = reclaim_now(&scene.locker());
    assert!(matches!(refused, Reclaimed::No(why) if why.contains("somebody else")));
    drop(first);
    assert_eq!(reclaim_now(&scene.locker()), Reclaimed::Yes);
}

#[test]
fn who_lost_the_lock_finds_out_and_begins_anew() {
    let scene = Scene::new();
    let mut locker = scene.locker();
    let held = locker.acquire(&|| false).unwrap();
    replace_lock(&scene, &own_owner("other", 0))();
    assert!(!held.still_ours().unwrap());
    assert_eq!(held.release().unwrap(), ReleaseOutcome::Lost);
    assert_eq!(token_at(&scene.lock()), "other");
    fs::remove_dir_all(scene.lock()).unwrap();
    let held = locker.acquire(&|| false).unwrap();
    assert!(held.still_ours().unwrap());
    // Removed by hand, and nothing in its place.
    fs::remove_dir_all(scene.lock()).unwrap();
    assert!(!held.still_ours().unwrap());
    assert_eq!(held.release().unwrap(), ReleaseOutcome::Lost);
    // Moved away whole: the token is ours, the name is not.
    let held = locker.acquire(&|| false).unwrap();
    fs::rename(scene.lock(), scene.dir.path().join("aside")).unwrap();
    assert!(!held.still_ours().unwrap());
    drop(held);
    // Our directory, written over by somebody else.
    let held = locker.acquire(&|| false).unwrap();
    let other = own_owner("other", 0).to_string();
    fs::write(scene.lock().join("owner.json"), other).unwrap();
    assert!(!held.still_ours().unwrap());
    drop(held);
    assert_eq!(token_at(&scene.lock()), "other");
}

#[test]
fn a_wrong_catch_of_releasing_is_put_back() {
    for plain in [false, true] {
        let scene = Scene::new();
        let mut locker = scene.locker();
        if plain {
            locker.place.force_plain();
        }
        let held = locker.acquire(&|| false).unwrap();
        steps::once_at(
            "checked before releasing",
            replace_lock(&scene, &own_owner("live", 0)),
        );
        assert_eq!(held.release().unwrap(), ReleaseOutcome::Lost);
        steps::none();
        assert_eq!(token_at(&scene.lock()), "live");
        assert_eq!(scene.leftovers(), [""; 0]);
    }
}

#[test]
fn an_empty_directory_just_made_is_not_replaced() {
    for plain in [false, true] {
        let scene = Scene::new();
        let lock = scene.lock();
        steps::once_at("take the lock", move || fs::create_dir(lock).unwrap());
        let mut locker = scene.locker();
        if plain {
            locker.place.force_plain();
        }
        assert!(refusal(&mut locker).contains("no owner.json"));
        steps::none();
        assert!(!scene.lock().join("owner.json").exists());
    }
}

/// A name for the released directory that somebody has taken.
#[test]
fn the_prepared_name_occupied() {
    let scene = Scene::new();
    let mut locker = scene.locker();
    let held = locker.acquire(&|| false).unwrap();
    let name = held_path(&held);
    fs::create_dir(&name).unwrap();
    assert_eq!(held.release().unwrap(), ReleaseOutcome::Released);
    assert!(name.exists() && !scene.lock().exists());
    assert!(locker.acquire(&|| false).unwrap().still_ours().unwrap());
}

fn held_path(held: &super::super::Held<'_>) -> PathBuf {
    held.prepared_path().unwrap().to_owned()
}
