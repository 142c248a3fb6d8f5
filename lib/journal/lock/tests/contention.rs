//! Many at once.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

use super::child::{append, expect, start, start_holding};
use super::*;

/// No hole and no number twice.
#[track_caller]
fn counted(journal: &Path) -> usize {
    let text = fs::read_to_string(journal).unwrap();
    let numbers: Vec<usize> = text.lines().map(|line| line.parse().unwrap()).collect();
    let expected: Vec<usize> = (1..=numbers.len()).collect();
    assert_eq!(numbers, expected);
    numbers.len()
}

#[test]
fn threads_each_with_a_locker() {
    let scene = Scene::new();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut locker = Locker::new(&scene.journal, patient()).unwrap();
                for _ in 0..100 {
                    append(&mut locker, &scene.journal);
                }
            });
        }
    });
    assert_eq!(counted(&scene.journal), 400);
    assert_eq!(fs::read_dir(scene.dir.path()).unwrap().count(), 1);
}

#[test]
fn processes() {
    let scene = Scene::new();
    let children: Vec<Child> = (0..4).map(|_| start("count 50", &scene.journal)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(counted(&scene.journal), 200);
    assert_eq!(fs::read_dir(scene.dir.path()).unwrap().count(), 1);
}

#[test]
fn processes_some_of_which_are_killed() {
    killed("count", 5, 60, 1);
}

#[test]
fn processes_that_take_over_at_once() {
    for _ in 0..5 {
        killed("rush", 9, 40, 1);
    }
}

#[test]
fn processes_without_noreplace() {
    let scene = Scene::new();
    let children: Vec<Child> = (0..4).map(|_| start("plain 50", &scene.journal)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(counted(&scene.journal), 200);
    assert_eq!(fs::read_dir(scene.dir.path()).unwrap().count(), 1);
}

/// The whole of it; minutes.
#[test]
#[ignore = "long"]
fn sixteen_processes_a_third_of_which_are_killed() {
    killed("count", 16, 500, 60);
    (0..100).for_each(|_| killed("rush", 12, 60, 1));
}

fn killed(task: &str, processes: usize, times: usize, pause_ms: u64) {
    let scene = Scene::new();
    let task = format!("{task} {times}");
    let mut children: Vec<Child> = (0..processes)
        .map(|_| start(&task, &scene.journal))
        .collect();
    wait_until("they begin", || {
        fs::metadata(&scene.journal).is_ok_and(|file| file.len() > 30)
    });
    for child in &mut children[..processes / 3] {
        thread::sleep(Duration::from_millis(pause_ms));
        child.kill().unwrap();
    }
    let ended: Vec<bool> = children
        .iter_mut()
        .map(|child| child.wait().unwrap().success())
        .collect();
    assert!(ended[processes / 3..].iter().all(|well| *well));
    let survivors = ended.iter().filter(|well| **well).count();
    assert!(counted(&scene.journal) >= survivors * times);
    let options = rushed();
    Locker::new(&scene.journal, options)
        .unwrap()
        .acquire(&|| false)
        .unwrap();
    assert!(!scene.lock().exists());
}

/// A script of another implementation: mkdir, then owner.json, then rm.
#[test]
fn another_implementation() {
    let scene = Scene::new();
    let times = 300;
    thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0..times {
                while fs::create_dir(scene.lock()).is_err() {
                    thread::sleep(Duration::from_micros(700));
                }
                let owner = json!({
                    "pid": std::process::id(), "token": turn.to_string(), "createdAt": ago(0),
                });
                fs::write(scene.lock().join("owner.json"), owner.to_string()).unwrap();
                append_as_other(&scene.journal);
                fs::remove_dir_all(scene.lock()).unwrap();
            }
        });
        let mut locker = Locker::new(&scene.journal, patient()).unwrap();
        for _ in 0..times {
            append(&mut locker, &scene.journal);
        }
    });
    assert_eq!(counted(&scene.journal), 2 * times);
}

fn append_as_other(journal: &Path) {
    let text = fs::read_to_string(journal).unwrap_or_default();
    let last = text
        .lines()
        .next_back()
        .map_or(0, |line| line.parse::<u64>().unwrap());
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(journal)
        .unwrap();
    file.write_all(format!("{}\n", last + 1).as_bytes())
        .unwrap();
}

#[test]
fn one_winner_of_a_dead_lock() {
    one_winner(3, 6);
}

/// The whole of it; minutes.
#[test]
#[ignore = "long"]
fn one_winner_of_ten_a_hundred_times() {
    one_winner(100, 10);
}

fn one_winner(rounds: usize, contenders: usize) {
    for _ in 0..rounds {
        let scene = Scene::new();
        scene.plant(&dead_owner("dead", 9));
        let mut children: Vec<Child> = (0..contenders).map(|_| contender(&scene)).collect();
        let outputs = children
            .iter_mut()
            .map(|child| child.stdout.take().unwrap());
        let mut outputs: Vec<_> = outputs.map(BufReader::new).collect();
        outputs
            .iter_mut()
            .for_each(|output| expect(output, "ready"));
        let say = |child: &mut Child| child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        children.iter_mut().for_each(say);
        thread::sleep(Duration::from_millis(300));
        children.iter_mut().for_each(say);
        let mut said = String::new();
        for (child, output) in children.iter_mut().zip(&mut outputs) {
            output.read_to_string(&mut said).unwrap();
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(said.matches("won\n").count(), 1, "{said}");
        assert_eq!(said.matches("lost\n").count(), contenders - 1, "{said}");
        assert_eq!(fs::read_dir(scene.dir.path()).unwrap().count(), 0);
    }
}

fn contender(scene: &Scene) -> Child {
    let words = child::command();
    let mut command = std::process::Command::new(&words[0]);
    command
        .args(&words[1..])
        .envs(child::environment("win", &scene.journal));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Suspended past the stale age: its flock is held, so nobody takes the lock over.
#[test]
fn a_suspended_holder_keeps_the_lock() {
    let scene = Scene::new();
    let (mut holder, _output) = start_holding("hold", &scene.journal);
    let pid = Pid::from_raw(i32::try_from(holder.id()).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let old = LockOptions {
        stale_full: Duration::ZERO,
        ..impatient()
    };
    let mut locker = Locker::new(&scene.journal, old).unwrap();
    assert!(refusal(&mut locker).contains("holds the flock"));
    kill_process(pid, Signal::CONT).unwrap();
    assert!(refusal(&mut locker).contains("holds the flock"));
    holder.kill().unwrap();
    holder.wait().unwrap();
    locker.acquire(&|| false).unwrap();
}
