use super::*;

fn step(verb: &str) -> Step<'_> {
    Step { seq: Seq(1), verb, parameters: "<path>", ok: Some(true) }
}

#[test]
fn what_is_put_in_comes_out() {
    let mut sessions = Sessions::default();
    assert!(sessions.is_empty());
    assert_eq!(sessions.push(step("a")), Err(Error::NoSession));
    sessions.begin("one", Ending::Succeeded).unwrap();
    sessions.push(step("a")).unwrap();
    sessions.begin("none", Ending::Failed).unwrap();
    sessions.begin("two", Ending::Unknown).unwrap();
    sessions.push(step("b")).unwrap();
    sessions.push(step("a")).unwrap();
    assert_eq!((sessions.len(), sessions.steps_len()), (3, 3));
    let verbs = |session| sessions.steps(session).map(|step| step.verb).collect::<Vec<_>>();
    assert_eq!(
        [verbs(0), verbs(1), verbs(2), verbs(3)],
        [vec!["a"], vec![], vec!["b", "a"], vec![]]
    );
    assert_eq!((sessions.name(1), sessions.ending(1)), ("none", Ending::Failed));
    assert_eq!((sessions.name(9), sessions.ending(9)), ("", Ending::Unknown));
    assert_eq!(sessions.steps(0).next(), Some(step("a")));
}

#[test]
fn a_command_line_went_as_its_last_part_did() {
    let mut sessions = Sessions::default();
    sessions.begin("one", Ending::Unknown).unwrap();
    let calls = Call::steps("bash", "ls x && make");
    sessions.push_calls(Seq(7), &calls, Some(false)).unwrap();
    let told: Vec<_> = sessions.steps(0).map(|step| (step.seq.0, step.verb, step.ok)).collect();
    assert_eq!(told, [(7, "ls", None), (7, "make", Some(false))]);
}

#[test]
fn there_are_as_many_sessions_and_steps_as_there_may_be() {
    let mut sessions = Sessions::default();
    for _ in 0..Sessions::SESSIONS_MAX {
        sessions.begin("", Ending::Unknown).unwrap();
    }
    let limit = Sessions::SESSIONS_MAX;
    assert_eq!(sessions.begin("", Ending::Unknown), Err(Error::TooManySessions { limit }));
    assert_eq!(sessions.len(), limit);

    let mut sessions = Sessions { steps_max: 2, ..Sessions::default() };
    sessions.begin("", Ending::Unknown).unwrap();
    sessions.push(step("a")).unwrap();
    sessions.push(step("a")).unwrap();
    assert_eq!(sessions.push(step("a")), Err(Error::TooManySteps { limit: 2 }));
    assert_eq!(Sessions::default().steps_max, Sessions::STEPS_MAX);
}

#[test]
fn long_texts_are_cut_between_characters() {
    let mut sessions = Sessions::default();
    let long = "\u{20ac}".repeat(1000);
    sessions.begin(&long, Ending::Unknown).unwrap();
    sessions.push(Step { parameters: &long, ..step(&long) }).unwrap();
    let Some(found) = sessions.steps(0).next() else { panic!() };
    for text in [sessions.name(0), found.verb, found.parameters] {
        assert_eq!(text, "\u{20ac}".repeat(85));
    }
}
