use super::*;

fn child(name: &str, instance: Option<&str>, call: Option<&str>) -> Child {
    let now = UtcTime::parse("2026-08-24T09:00:00Z").unwrap();
    Child {
        instance: instance.map(Into::into),
        call: call.map(|id| AnswersTo {
            by: RUN,
            id: id.into(),
            tool: Some("task".into()),
            guessed: false,
        }),
        ..Child::new(format!("run/{name}"), name, now)
    }
}

#[test]
fn a_result_belongs_to_the_oldest_open_child_of_its_call_that_has_none() {
    let mut children = Children::default();
    let first = children.add(child("a", Some("i1"), Some("c")));
    let second = children.add(child("a", Some("i2"), Some("c")));
    assert_eq!(children.awaiting(RUN, "c", Some("task")), Some(first));
    assert_eq!(children.awaiting(first, "c", None), None);
    assert_eq!(children.awaiting(RUN, "c", None), Some(first));
    assert_eq!(children.awaiting(RUN, "c", Some("write_file")), None);
    let failed = |child: &mut Child| {
        child.outcome = Some(Outcome {
            failed: true,
            cause: None,
        });
    };
    children.change(first, failed);
    assert_eq!(children.awaiting(RUN, "c", Some("task")), Some(second));
    children.change(second, failed);
    assert_eq!(children.awaiting(RUN, "c", Some("task")), None);
    assert_eq!(children.of_instance("i2", false), Some(second));
    assert_eq!(children.of_instance("i2", true), None);
    assert_eq!(children.of_call("c", false).count(), 2);
    assert_eq!(children.of_call("c", true).count(), 0);
}

#[test]
fn the_memory_of_ended_children_is_bounded() {
    let mut children = Children::default();
    for number in 0..REMEMBERED_KEYS + 10 {
        let number = children.add(child("a", Some(&format!("i{number}")), Some("c")));
        children.end(number);
    }
    assert!(children.ended.len() <= REMEMBERED_KEYS && children.index.is_empty());
    assert!(children.ended_instance("i0", false).is_none());
    assert!(
        children
            .ended_instance(&format!("i{}", REMEMBERED_KEYS + 9), false)
            .is_some()
    );
}
