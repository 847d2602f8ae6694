use std::fs::File;
use std::time::Duration;

use super::session::Session;
use crate::hooks::Agents;

/// A server looks each five seconds; many tests run at once.
const TRIES: u32 = 300;
const PAUSE: Duration = Duration::from_millis(200);

/// Waits until `list` shows it, without another command that would do a job.
fn is_learned(session: &mut Session, words: &str) -> bool {
    for _ in 0..TRIES {
        let listed = session.done("memory_list", serde_json::json!({}));
        if listed.text.contains(words) {
            return true;
        }
        #[expect(clippy::disallowed_methods, reason = "nothing says when it is learned")]
        std::thread::sleep(PAUSE);
    }
    false
}

/// A server learns what hooks captured before it began, and what they couldn't while it lives, with
/// nobody running anything else; its end is clean.
#[test]
fn a_server_learns_what_sessions_taught_while_it_lives() {
    let agents = Agents::new();
    agents.says("s1", "user", "From now on never push to main directly.");
    agents.says("s1", "assistant", "Done.");
    agents.hook("Stop", "shop", "s1", "");
    let lent = agents.desk.path().join(".local/share/memlith");
    // The jobs are due two minutes after the last word: for this server they are.
    let later = ["--now", "2030-01-01"];
    let mut session = Session::at(&agents, "shop", &later);
    assert!(is_learned(&mut session, "never push to main"));
    // A hook that finds the ledger locked leaves its transcript to whom nobody waits for.
    let lock = File::options().write(true).open(lent.join("LOCK")).unwrap();
    lock.lock().unwrap();
    agents.says("s2", "user", "From now on always run the linter before a commit.");
    agents.says("s2", "assistant", "Done.");
    agents.hook("Stop", "shop", "s2", "");
    lock.unlock().unwrap();
    assert!(is_learned(&mut session, "always run the linter"));
    assert_eq!(session.terminate(), 0);
    let jobs = agents.in_project("shop", &["jobs", "list", "--json"]).json();
    assert_eq!((&jobs["waiting"], &jobs["dead"]), (&0.into(), &0.into()), "{jobs}");
    assert_eq!(agents.in_project("shop", &["verify", "--full"]).code, 0);
}
