use crate::recall::agents::told::{SERVICES, Session};

/// A question, and the words of what answers it.
pub(crate) struct Question {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) answers: Vec<String>,
}

/// Returns questions about the sessions: of each about one thing, in turn, and of each service
/// about several.
pub(crate) fn questions(sessions: &[Session]) -> Vec<Question> {
    let mut questions: Vec<Question> = sessions
        .iter()
        .zip((0..7).cycle())
        .map(|(session, kind)| question(session, kind))
        .collect();
    questions.extend(sessions.iter().zip((0..6).cycle()).filter_map(of_a_tool));
    for service in SERVICES {
        let of_service = sessions.iter().filter(|session| session.service == service);
        let answers: Vec<String> = of_service.map(|session| session.decision.clone()).collect();
        if !answers.is_empty() {
            let text = format!("What was decided for the {service} service, all told?");
            questions.push(Question { kind: "several", text, answers });
        }
    }
    questions
}

fn question(session: &Session, kind: u64) -> Question {
    let Session { service, trouble, .. } = session;
    let (told, asked) = (trouble.told, trouble.asked);
    let (kind, text, answer) = match kind {
        0 => (
            "error",
            format!("What error did the tests of {service} fail with when {told}?"),
            &session.failure,
        ),
        1 => (
            "decision",
            format!("What did we decide in {service} because {told}?"),
            &session.decision,
        ),
        2 => ("other words", format!("Why was it that in {service} {asked}?"), &session.decision),
        3 => ("file", format!("Which file was edited in {service} after {told}?"), &session.edited),
        4 => (
            "outcome",
            format!("How did the task end about {service}, where {told}?"),
            &session.outcome,
        ),
        5 => (
            "date",
            format!("What was the matter with {service} on {}?", session.date()),
            &session.asked,
        ),
        _ => (
            "passed",
            format!("How many tests passed once {service} was fixed, where {told}?"),
            &session.passed,
        ),
    };
    Question { kind, text, answers: vec![answer.clone()] }
}

/// Of each third session, what names a tool or the path that it was called with.
fn of_a_tool((session, turn): (&Session, u64)) -> Option<Question> {
    let Session { service, trouble, .. } = session;
    let (kind, text, answer) = match turn {
        0 => (
            "tool",
            format!("What did the Read tool show of {service} when {}?", trouble.told),
            &session.read,
        ),
        3 => ("path", format!("How was {} changed?", session.file), &session.edited),
        _ => return None,
    };
    Some(Question { kind, text, answers: vec![answer.clone()] })
}
