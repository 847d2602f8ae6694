use super::session::Session;

/// The smallest part of a session that still fails: no step of it can be left out.
///
/// Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
/// Input", 2002): halves, quarters, and so on, down to single steps, until nothing goes.
pub fn shrink(session: &Session, fails: &dyn Fn(&Session) -> bool) -> Session {
    let mut session = session.clone();
    let mut chunk = session.steps.len().div_ceil(2).max(1);
    loop {
        let mut from = 0;
        let before = session.steps.len();
        while from < session.steps.len() {
            let smaller = session.without(from, chunk);
            if fails(&smaller) {
                session = smaller;
            } else {
                from += chunk;
            }
        }
        if chunk == 1 && session.steps.len() == before {
            return session;
        }
        chunk = chunk.div_ceil(2).max(1);
    }
}
