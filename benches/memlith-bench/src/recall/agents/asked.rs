use crate::recall::agents::told::{SERVICES, Session};

/// A question, and the words of what answers it.
pub(crate) struct Question {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) answers: Vec<String>,
}

/// Questions about a session, by kind.
const ASKED: [(&str, &str); 7] = [
    ("error", "What error did the tests of SERVICE fail with when TOLD?"),
    ("decision", "What did we decide in SERVICE because TOLD?"),
    ("other words", "Why was it that in SERVICE ASKED?"),
    ("file", "Which file was edited in SERVICE after TOLD?"),
    ("outcome", "How did the task end about SERVICE, where TOLD?"),
    ("date", "What was the matter with SERVICE on DATE?"),
    ("passed", "How many tests passed once SERVICE was fixed, where TOLD?"),
];

/// Questions that name a tool, or the path that it was called with.
const TOOL: (&str, &str) = ("tool", "What did the Read tool show of SERVICE when TOLD?");
const PATH: (&str, &str) = ("path", "How was FILE changed?");

/// Returns questions about the sessions: of each about one thing, in turn, of each third about a
/// tool or a path, and of each service about several.
pub(crate) fn questions(sessions: &[Session]) -> Vec<Question> {
    let mut questions = Vec::new();
    for (session, asked) in sessions.iter().zip(ASKED.into_iter().cycle()) {
        let answer = match asked.0 {
            "error" => &session.failure,
            "file" => &session.edited,
            "outcome" => &session.outcome,
            "date" => &session.asked,
            "passed" => &session.passed,
            _ => &session.decision,
        };
        questions.push(question(session, asked, answer));
    }
    for (session, turn) in sessions.iter().zip((0..6).cycle()) {
        match turn {
            0 => questions.push(question(session, TOOL, &session.read)),
            3 => questions.push(question(session, PATH, &session.edited)),
            _ => {}
        }
    }
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

fn question(session: &Session, (kind, words): (&'static str, &str), answer: &str) -> Question {
    let text = words
        .replace("SERVICE", session.service)
        .replace("TOLD", session.trouble.told)
        .replace("ASKED", session.trouble.asked)
        .replace("DATE", &session.date())
        .replace("FILE", &session.file);
    Question { kind, text, answers: vec![answer.to_owned()] }
}
