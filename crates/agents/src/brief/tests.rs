use std::path::Path;

use memlith::{Change, Options, Rank};

use super::*;

/// A ledger with the voices of one person: in every project, and in one.
struct Desk {
    _folder: tempfile::TempDir,
    ledger: Ledger,
    anywhere: Caller,
    shop: Caller,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::create(folder.path().join("l"), Options::default()).unwrap();
        let anywhere = Caller::user("default", "ana");
        let scope = Scope { subject: Some("shop".into()), agent: None, ..anywhere.scope.clone() };
        let shop = Caller { scope, ..anywhere.clone() };
        let scope = Scope { agent: None, ..anywhere.scope.clone() };
        Desk { _folder: folder, ledger, anywhere: Caller { scope, ..anywhere }, shop }
    }

    fn says(&self, caller: &Caller, text: &str) -> RecordId {
        self.ledger.remember(caller, text).unwrap().id
    }

    fn does(&self, caller: &Caller, change: Change, targets: [RecordId; 1]) {
        assert!(self.ledger.change(caller, change, targets).unwrap().is_in_force());
    }

    fn brief(&self) -> String {
        brief_of(self, BRIEF_TOKENS)
    }

    /// The lines below a heading.
    fn block(&self, heading: &str) -> Vec<String> {
        let brief = self.brief();
        let lines = brief.lines().skip_while(|line| *line != heading).skip(1);
        lines.take_while(|line| line.starts_with("- ")).map(str::to_owned).collect()
    }
}

#[test]
fn pins_and_what_is_known_of_the_person_are_told_behind_any_number_of_newer_ones() {
    let desk = Desk::new();
    let pinned = desk.says(&desk.shop, "Never deploy on a Friday.");
    desk.does(&desk.shop, Change::Pin, [pinned]);
    desk.says(&desk.anywhere, "I live in Lisbon.");
    for number in 0..150 {
        desk.says(&desk.shop, &format!("Crate number {number} stands in hall {}.", number + 7));
    }
    assert!(desk.block("Pinned:")[0].contains("on a Friday"), "{}", desk.brief());
    let told = desk.block("About the person:");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("Lisbon"), "{told:?}");
    assert_eq!(desk.brief().matches("on a Friday").count(), 1);
}

#[test]
fn a_profile_is_short_their_own_word_and_the_most_salient_first() {
    let desk = Desk::new();
    let (mut ids, topics) = (Vec::new(), ["tea", "jazz", "chess", "rain", "bread", "maps", "tin"]);
    for (number, topic) in topics.iter().cycle().take(21).enumerate() {
        ids.push(desk.says(&desk.anywhere, &format!("I like {topic} of kind {number}.")));
    }
    let assistant = Caller { rank: Rank::Assistant, ..desk.anywhere.clone() };
    let mut guess = assistant.clone();
    guess.origin = Some(Origin::Assistant);
    desk.says(&guess, "The person hates mornings.");
    let of_kind = |lines: &[String], kind: usize| {
        lines.iter().position(|line| line.contains(&format!("of kind {kind}.")))
    };
    let confirmed = ids[3];
    desk.does(&desk.anywhere, Change::confirm(), [confirmed]);
    let told = desk.block("About the person:");
    assert!(told.len() <= PROFILE, "{told:?}");
    assert!(told.iter().map(|line| line.len() + 1).sum::<usize>() <= 4 * 240 + told.len() * 3);
    assert_eq!(of_kind(&told, 3), Some(0), "{told:?}");
    assert!(!told.iter().any(|line| line.contains("mornings")), "{told:?}");
    let gone = ids[3];
    desk.does(&desk.anywhere, Change::Invalidate { weight: None, reason: None }, [gone]);
    assert_eq!(of_kind(&desk.block("About the person:"), 3), None);
}

#[test]
fn the_newest_stands_above_what_it_may_have_replaced_and_the_older_says_so() {
    let desk = Desk::new();
    let pinned = desk.says(&desk.shop, "The kiln is set to 1,060 degrees on weekdays.");
    desk.does(&desk.shop, Change::Pin, [pinned]);
    desk.says(&desk.shop, "Otto brings the clay.");
    let newer = desk.says(&desk.shop, "The kiln is at 1,020 degrees now.");
    let block = desk.block("Pinned:");
    let [first, second] = block.as_slice() else { panic!("{block:?}") };
    assert!(first.contains("1,020") && second.contains("1,060"), "{block:?}");
    let mark = format!("older; newer: mem_{}", newer.seq.0);
    assert!(second.contains(&mark) && !first.contains("older"), "{block:?}");
    assert!(desk.brief().matches("1,020").count() == 1);
}

#[test]
fn rules_are_told_before_any_number_of_news_and_the_rest_is_counted() {
    let desk = Desk::new();
    desk.says(&desk.shop, "Never push to the main branch.");
    desk.says(&desk.shop, "Every migration has a number.");
    for number in 0..160 {
        desk.says(&desk.shop, &format!("Crate number {number} stands in hall {}.", number + 7));
    }
    assert_eq!(desk.block("Rules that stand, newest first:").len(), 2, "{}", desk.brief());
    let news = desk.block("What else stands, newest first:").len();
    let rest = format!("\n{} more are known: `memlith search` finds them.\n", 160 - news);
    let brief = desk.brief();
    assert!(news > 20 && brief.contains(&rest), "{brief}");
    assert!(brief.len() <= 4 * BRIEF_TOKENS as usize, "{}", brief.len());
    for budget in [0, 1, 30, 60, 100] {
        let text = brief_of(&desk, budget);
        assert!(text.len() <= 4 * budget as usize, "{budget}: {text}");
    }
}

fn brief_of(desk: &Desk, budget: u32) -> String {
    let nowhere = crate::project::Project::of(Path::new("/nowhere"));
    let tree = Tree::of(&nowhere, Path::new("/nowhere/ledger"));
    let told = brief(&desk.ledger, &desk.shop, None, (budget, &tree));
    told.map(|told| told.text).unwrap_or_default()
}
