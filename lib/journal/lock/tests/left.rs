//! Locks left on a real file system: taken over, or refused with a reason.

use std::fs;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use serde_json::json;

use super::super::{ReleaseOutcome, inspect};
use super::*;

#[track_caller]
fn taken_over(scene: &Scene) {
    let found = inspect(&scene.journal, &impatient()).unwrap();
    assert!(found.held && found.reclaimable, "{}", found.reason);
    let mut locker = scene.locker();
    let held = locker.acquire(&|| false).unwrap();
    assert!(held.still_ours().unwrap());
    assert_eq!(held.release().unwrap(), ReleaseOutcome::Released);
    drop(locker);
    assert_eq!(fs::read_dir(scene.dir.path()).unwrap().count(), 0);
}

#[track_caller]
fn refused(scene: &Scene, reason: &str) {
    let found = inspect(&scene.journal, &impatient()).unwrap();
    assert!(found.held && !found.reclaimable);
    assert!(found.reason.contains(reason), "{}", found.reason);
    let message = refusal(&mut scene.locker());
    assert!(message.contains(reason), "{message}");
    assert!(
        message.contains(&format!("rm -r {}", scene.lock().display())),
        "{message}"
    );
    assert!(
        fs::symlink_metadata(scene.lock()).is_ok(),
        "it still stands"
    );
    assert_eq!(scene.leftovers(), [""; 0]);
}

#[test]
fn dead_with_full_evidence() {
    let scene = Scene::new();
    scene.plant(&dead_owner("a", 1));
    refused(&scene, "only 1.0 s old");
    fs::remove_dir_all(scene.lock()).unwrap();
    scene.plant(&dead_owner("a", 3));
    fs::write(scene.lock().join("owner.json.tmp"), "").unwrap();
    taken_over(&scene);
}

#[test]
fn alive_with_full_evidence() {
    let scene = Scene::new();
    scene.plant(&own_owner("a", 4000));
    refused(&scene, "is alive");
}

#[test]
fn of_another_implementation() {
    let mut child = Command::new("true").spawn().unwrap();
    let dead = child.id();
    child.wait().unwrap();
    for (pid, seconds, reason) in [
        (std::process::id(), 4, "is alive"),
        (std::process::id(), 400, "is alive"),
        (dead, 4, "from 300 s on"),
    ] {
        let scene = Scene::new();
        scene.plant(&json!({"pid": pid, "token": "a", "createdAt": ago(seconds)}));
        refused(&scene, reason);
    }
    let scene = Scene::new();
    scene.plant(&json!({"pid": dead, "token": "a", "createdAt": ago(301)}));
    taken_over(&scene);
}

#[test]
fn after_a_reboot() {
    let scene = Scene::new();
    let mut owner = own_owner("a", 3);
    owner["bootId"] = json!("00000000-0000-0000-0000-000000000000");
    if owner["machineId"].is_null() {
        return;
    }
    owner["host"] = json!("elsewhere");
    scene.plant(&owner);
    refused(&scene, "another host, \"elsewhere\"");
    fs::remove_dir_all(scene.lock()).unwrap();
    owner["host"] = json!(Machine::here().host);
    owner["flock"] = json!(true);
    scene.plant(&owner);
    taken_over(&scene);
}

#[test]
fn without_a_readable_owner() {
    let scene = Scene::new();
    fs::create_dir(scene.lock()).unwrap();
    refused(&scene, "no owner.json");
    let owner = scene.lock().join("owner.json");
    for (bytes, reason) in [
        (&b""[..], "not a JSON object"),
        (b"[1]", "not a JSON object"),
    ] {
        fs::write(&owner, bytes).unwrap();
        refused(&scene, reason);
    }
    fs::write(
        &owner,
        dead_owner("a", 9).to_string() + &" ".repeat(65 * 1024),
    )
    .unwrap();
    refused(&scene, "larger than 64 KiB");
    fs::remove_file(&owner).unwrap();
    fs::create_dir(&owner).unwrap();
    refused(&scene, "not a regular file");
    fs::remove_dir(&owner).unwrap();
    let elsewhere = scene.dir.path().join("elsewhere");
    fs::write(&elsewhere, dead_owner("a", 9).to_string()).unwrap();
    symlink(&elsewhere, &owner).unwrap();
    refused(&scene, "symbolic link");
    fs::remove_file(&owner).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&owner)
            .status()
            .unwrap()
            .success()
    );
    refused(&scene, "not a regular file");
}

#[test]
fn not_a_directory() {
    let scene = Scene::new();
    fs::write(scene.lock(), "").unwrap();
    refused(&scene, "not a directory");
    fs::remove_file(scene.lock()).unwrap();
    let elsewhere = scene.dir.path().join("elsewhere");
    plant_at(&elsewhere, &dead_owner("a", 9));
    symlink(&elsewhere, scene.lock()).unwrap();
    refused(&scene, "not a directory");
    fs::remove_dir_all(elsewhere).unwrap();
    refused(&scene, "not a directory");
}

#[test]
fn a_flock_held_and_let_go() {
    let scene = Scene::new();
    let mut owner = dead_owner("a", 3);
    owner["flock"] = json!(true);
    scene.plant(&owner);
    let file = File::open(scene.lock().join("owner.json")).unwrap();
    flock(&file, FlockOperation::NonBlockingLockExclusive);
    refused(&scene, "holds the flock");
    drop(file);
    taken_over(&scene);
}

/// A holder in a pid namespace of its own: its pid is nobody, or somebody else, out here.
#[test]
fn alive_in_another_pid_namespace() {
    let scene = Scene::new();
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--pid",
        "--fork",
        "--kill-child",
        "--",
    ]);
    command.args(child::command());
    command.envs(child::environment("hold", &scene.journal));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut holder) = command.spawn() else {
        return;
    };
    let ended = |holder: &mut std::process::Child| holder.try_wait().unwrap().is_some();
    wait_until("the child takes the lock", || {
        scene.lock().exists() || ended(&mut holder)
    });
    if !scene.lock().exists() {
        return; // No user namespaces here.
    }
    let old = LockOptions {
        stale_full: Duration::ZERO,
        ..impatient()
    };
    let message = refusal(&mut Locker::new(&scene.journal, old).unwrap());
    assert!(message.contains("holds the flock"), "{message}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    let old = rushed();
    Locker::new(&scene.journal, old)
        .unwrap()
        .acquire(&|| false)
        .unwrap();
}
