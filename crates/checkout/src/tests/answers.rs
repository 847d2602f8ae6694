use memlith_event::{
    Actor, Body, Envelope, Event, LeftOutReason, MemoryEvent, Origin, Rank, Remembered, Scope,
};
use memlith_log::{RecordId, Timestamp};
use memlith_memory::{Authority, Change};
use memlith_salience::Multiplier;

use super::ledger::{DAY, Ledger, ids, lives_in, resting};
use crate::*;

fn reasons(pack: &Pack) -> Vec<(RecordId, LeftOutReason)> {
    pack.left_out.iter().map(|excluded| (excluded.id, excluded.reason)).collect()
}

#[test]
fn an_answer_is_cited_and_explained() {
    let mut ledger = Ledger::new();
    let said = ledger.say(Origin::User, "The deploy key rotates on Mondays");
    ledger.say(Origin::User, "Lunch was good");
    let pack = ledger.all("When does the deploy key rotate?");
    assert_eq!(ids(&pack.items), [said]);
    let item = &pack.items[0];
    let citation = "memlith://07070707070707070707070707070707/1#010101010101";
    assert_eq!(item.citation.to_string(), citation);
    assert_eq!(item.excerpt.text, "The deploy key rotates on Mondays");
    assert_eq!((item.speaker.as_str(), item.occurred_at), ("User", ledger.now));
    assert_eq!(pack.tokens as usize, for_prompt(&pack.items).len().div_ceil(4));
    let why = &item.why;
    assert_eq!((why.authority, why.tier.0, why.record), (Authority::Active, 4, true));
    assert_eq!(why.relevance, why.signals.relevance());
    assert_eq!(item.score, why.multiplier.scales(why.relevance));
    assert_eq!(why.salience.to_string(), "1.0");
}

/// Asked in the midst of a history, what comes months later was up to a tenth ahead of what
/// had just been said.
#[test]
fn what_is_later_than_the_question_is_no_stronger_for_that() {
    let mut ledger = Ledger::new();
    let (first, asked) = (ledger.say(Origin::User, "the kettle leaks"), ledger.now);
    ledger.now = Timestamp(ledger.now.0 + 90 * DAY);
    let later = ledger.say(Origin::User, "the kettle leaks");
    ledger.now = asked;
    let found = ledger.recall("kettle");
    let why = |id| &found.iter().find(|cited| cited.id == id).unwrap().why;
    assert_eq!([first, later].map(|id| why(id).multiplier), [Multiplier::ONE; 2]);
    assert_eq!(why(later).salience.to_string(), "8.0");
    ledger.now = Timestamp(asked.0 + 90 * DAY);
    let found = ledger.recall("kettle");
    assert_eq!(ids(&found), [later, first]);
}

#[test]
fn a_request_that_asks_nothing_is_refused() {
    let mut ledger = Ledger::new();
    ledger.remember(Rank::User, "something");
    let view = ledger.view();
    let refused = |query, budget| checkout(&view, &ledger.request(query, budget)).unwrap_err();
    assert_eq!(refused("  ", 100), Error::EmptyQuery);
    assert_eq!(refused("something", 0), Error::ZeroBudget);
    assert_eq!(recall(&view, &ledger.ask("\n"), 5, &QuarterBytes), Err(Error::EmptyQuery));
    assert_eq!(ledger.all("nothing like it").items, []);
}

#[test]
fn what_does_not_stand_is_left_out_and_named() {
    let mut ledger = Ledger::new();
    let wrong = ledger.remember(Rank::User, "the office is in Pune");
    let right = ledger.remember(Rank::User, "the office is in Bangalore");
    ledger.invalidate(wrong);
    let pack = ledger.all("where is the office?");
    assert_eq!(ids(&pack.items), [right]);
    assert_eq!(reasons(&pack), [(wrong, LeftOutReason::Authority)]);
    assert_eq!(ids(&ledger.recall("where is the office?")), [right]);
}

#[test]
fn what_the_asker_cannot_see_is_not_even_counted() {
    let mut ledger = Ledger::new();
    let scopes = [
        Scope { agent: Some("other".into()), ..Scope::tenant("t") },
        Scope::tenant("u"),
        Scope { session: Some("s".into()), session_only: true, ..Scope::tenant("t") },
    ];
    for scope in scopes {
        ledger.scope = scope;
        let hidden = ledger.remember(Rank::User, "the office is in Oslo");
        ledger.remember(Rank::User, "the office is in Rome");
        ledger.invalidate(hidden);
    }
    ledger.scope = Scope::tenant("t");
    let seen = ledger.remember(Rank::User, "the office is in Pune");
    let pack = ledger.all("where is the office?");
    assert_eq!((ids(&pack.items), reasons(&pack)), (vec![seen], vec![]));
}

#[test]
fn equal_scores_come_in_order_of_sequence() {
    let mut ledger = Ledger::new();
    let with = ["Otto", "Hana", "Kofi", "Lena", "Bram"];
    let said: Vec<RecordId> =
        with.iter().map(|one| ledger.say(Origin::User, &format!("tea, says {one}"))).collect();
    let pack = ledger.all("tea");
    assert_eq!(ids(&pack.items), said);
    assert!(pack.items.windows(2).all(|pair| pair[0].score == pair[1].score));
}

#[test]
fn salience_orders_what_answers_equally_well() {
    let mut ledger = Ledger::new();
    ledger.remember(Rank::User, "tea is kept in the red tin");
    let raised = ledger.remember(Rank::User, "tea is kept in the blue tin");
    ledger.change(Rank::User, Change::Confirm { weight: None, verified: false }, raised);
    assert_eq!(ids(&ledger.all("tea").items)[0], raised);
}

#[test]
fn web_text_has_its_share_and_no_more() {
    let mut ledger = Ledger::new();
    let page = |number| format!("of gardens, houses and tea {number}");
    let web: Vec<RecordId> = (0..4).map(|number| ledger.say(Origin::Web, &page(number))).collect();
    assert_eq!(ledger.all("tea").items, [], "the web alone is no answer");
    let said: Vec<RecordId> =
        (0..10).map(|number| ledger.say(Origin::User, &format!("tea tea {number}"))).collect();
    let pack = ledger.all("tea");
    // 30 tokens of the user's; one page of 7 may come after them: 14 are more than 30 % of 44.
    let (users, pages) = pack.items.split_at(said.len());
    assert!(users.iter().all(|item| said.contains(&item.id)));
    assert_eq!(ids(pages), web[..1]);
    let left = web.iter().skip(1).map(|id| (*id, LeftOutReason::WebShare));
    assert_eq!(reasons(&pack), left.collect::<Vec<_>>());
}

#[test]
fn a_flood_of_the_web_crowds_nobody_out() {
    let mut ledger = Ledger::new();
    let said = ledger.say(Origin::User, "somewhere in a long remark there was tea");
    for number in 0..300 {
        ledger.say(Origin::Web, &format!("tea {number}"));
    }
    assert_eq!(ids(&ledger.all("tea").items), [said]);
}

#[test]
fn the_same_words_are_shown_once() {
    let mut ledger = Ledger::new();
    let first = ledger.say(Origin::User, "The tea is in the tin.");
    let again = ledger.say(Origin::User, "the tea  is in the TIN");
    let pack = ledger.all("tea");
    assert_eq!(ids(&pack.items), [first]);
    assert_eq!(reasons(&pack), [(again, LeftOutReason::Duplicate)]);
}

#[test]
fn the_words_of_a_user_do_not_give_way_to_a_tool_that_repeats_them() {
    let mut ledger = Ledger::new();
    let tool = ledger.say(Origin::Tool, "The tea is in the tin");
    let user = ledger.say(Origin::User, "The tea is in the tin");
    assert_eq!(ids(&ledger.all("tea").items), [tool, user]);
}

#[test]
fn a_summary_and_its_source_do_not_stand_together() {
    let long = "tea is what is bought in the shop around the corner on Fridays";
    let mut ledger = Ledger::new();
    let source = ledger.remember(Rank::User, "tea on Fridays");
    let summary = ledger.write(Rank::Engine, resting(long, &[source]));
    assert_eq!(ids(&ledger.recall("tea")), [source, summary], "recall shows both");
    let pack = ledger.all("tea");
    assert_eq!(ids(&pack.items), [source]);
    assert_eq!(reasons(&pack), [(summary, LeftOutReason::Duplicate)]);
}

#[test]
fn a_flood_of_summaries_crowds_nobody_out() {
    let mut ledger = Ledger::new();
    let apart = ledger.remember(Rank::User, "nothing of the kind");
    let said = ledger.say(Origin::User, "somewhere in a long remark there was tea");
    for number in 0..300 {
        ledger.write(Rank::Engine, resting(&format!("tea {number}"), &[apart]));
    }
    assert_eq!(ids(&ledger.all("tea").items).last(), Some(&said));
}

#[test]
fn an_outdated_item_names_the_newer_value() {
    let mut ledger = Ledger::new();
    let pune = ledger.write(Rank::User, lives_in("Pune"));
    let commute = ledger.write(Rank::User, resting("the commute is short", &[pune]));
    ledger.now = ledger.now.plus_us(DAY);
    let oslo = ledger.write(Rank::User, lives_in("Oslo"));
    ledger.now = ledger.now.plus_us(DAY);
    let bangalore = ledger.write(Rank::User, lives_in("Bangalore"));
    let pack = ledger.all("commute");
    assert_eq!(ids(&pack.items), [commute]);
    assert_eq!(pack.items[0].why.authority, Authority::Outdated);
    assert_eq!(pack.items[0].why.newer, [bangalore]);
    let homes = ledger.all("where does Ana live?");
    assert_eq!(ids(&homes.items), [bangalore]);
    assert_eq!(
        reasons(&homes),
        [(pune, LeftOutReason::Authority), (oslo, LeftOutReason::Authority)]
    );
}

/// A faded memory and a strong answer beside it.
fn faded() -> (Ledger, RecordId, RecordId) {
    let mut ledger = Ledger::new();
    let mut old = lives_in("Pune");
    old.text = "Ana keeps the spare umbrella near the green door of the old house".into();
    let old = ledger.write(Rank::User, old);
    ledger.now = ledger.now.plus_us(200 * DAY);
    let fresh = ledger.remember(Rank::User, "spare umbrella rental opening hours");
    (ledger, old, fresh)
}

const HOURS: &str = "spare umbrella rental opening hours";

#[test]
fn a_faded_memory_gives_way_to_a_much_better_answer() {
    let (ledger, old, fresh) = faded();
    let pack = ledger.all(HOURS);
    assert_eq!(ids(&pack.items), [fresh]);
    assert_eq!(reasons(&pack), [(old, LeftOutReason::Attenuated)]);
    assert_eq!(ids(&ledger.recall(HOURS)), [fresh, old], "recall never attenuates");
    assert!(ledger.recall(HOURS)[1].why.attenuated);
}

#[test]
fn a_faded_memory_that_is_named_or_best_is_shown_at_any_age() {
    let (ledger, old, fresh) = faded();
    for query in [
        "Ana: spare umbrella rental opening hours",
        "spare umbrella rental opening hours \"green door\"",
    ] {
        assert!(ids(&ledger.all(query).items).contains(&old), "{query}");
    }
    assert_eq!(ids(&ledger.all("green door").items), [old]);
    assert_eq!(ids(&ledger.all("umbrella").items), [fresh, old]);
}

#[test]
fn a_record_does_not_fade() {
    let mut ledger = Ledger::new();
    let old = ledger.say(Origin::User, "the spare umbrella stands near the door of the old house");
    ledger.now = ledger.now.plus_us(2_000 * DAY);
    let fresh = ledger.say(Origin::User, "spare umbrella rental opening hours");
    assert_eq!(reasons(&ledger.all(HOURS)), [(old, LeftOutReason::Faint)]);
    let request = Request { min_items: 2, ..ledger.request(HOURS, u32::MAX) };
    let pack = checkout(&ledger.view(), &request).unwrap();
    assert_eq!(ids(&pack.items), [fresh, old]);
    assert!(pack.items[1].score * 2 < pack.items[0].score && !pack.items[1].why.attenuated);
}

#[test]
fn a_name_is_no_way_around_the_budget() {
    let mut ledger = Ledger::new();
    let actor = Actor::new("\u{e9}".repeat(10_000), Rank::Web);
    let envelope = Envelope::new(ledger.scope.clone(), actor, ledger.now);
    let event = Event::Memory(MemoryEvent::Remembered(Remembered::text("tea")));
    ledger.append(Body { envelope, event });
    assert_eq!(ledger.recall("tea")[0].speaker, "\u{e9}".repeat(64));
}

#[test]
fn a_pinned_memory_does_not_fade() {
    let (mut ledger, old, _) = faded();
    ledger.change(Rank::User, Change::Pin, old);
    let pack = ledger.all(HOURS);
    let pinned = pack.items.iter().find(|item| item.id == old).unwrap();
    assert!(pinned.why.pinned && !pinned.why.attenuated);
}

/// A memory of tier 3, confirmed where `confirmed`, that has faded; the ledger then.
fn faded_by_assistant(confirmed: bool) -> (Ledger, RecordId) {
    let mut ledger = Ledger::new();
    let text = "the spare umbrella stands near the green door of the old house";
    let old = ledger.remember(Rank::Assistant, text);
    if confirmed {
        ledger.change(Rank::User, Change::Confirm { weight: None, verified: false }, old);
    }
    ledger.now = ledger.now.plus_us(200 * DAY);
    (ledger, old)
}

#[test]
fn only_its_equals_fade_a_memory_out() {
    let check = |confirmed, rival: fn(&mut Ledger), stays: bool| {
        let (mut ledger, old) = faded_by_assistant(confirmed);
        rival(&mut ledger);
        let ranked = ledger.recall(HOURS);
        let (best, faint) = (&ranked[0], ranked.last().unwrap());
        assert!(faint.id == old && faint.why.relevance * 2 < best.why.relevance);
        assert_eq!(ids(&ledger.all(HOURS).items).contains(&old), stays);
    };
    let assistant = |ledger: &mut Ledger| {
        ledger.say(Origin::Assistant, HOURS);
    };
    check(false, assistant, false);
    // A user vouched for it: its guard is above the assistant's.
    check(true, assistant, true);
    // A user vouched for a page: its guard is above the memory's, its tier is not.
    let vouched = |ledger: &mut Ledger| {
        let page = ledger.say(Origin::Web, HOURS);
        ledger.change(Rank::User, Change::Confirm { weight: None, verified: false }, page);
    };
    check(false, vouched, true);
    let derived = |ledger: &mut Ledger| {
        let source = ledger.remember(Rank::User, "nothing of the kind");
        ledger.write(Rank::Engine, resting(HOURS, &[source]));
    };
    check(false, derived, true);
}

#[test]
fn words_that_cannot_be_read_are_not_shown() {
    let mut ledger = Ledger::new();
    let lost = ledger.remember(Rank::User, "tea in the tin");
    let kept = ledger.remember(Rank::User, "tea on the shelf");
    ledger.erased = vec![lost.seq];
    let pack = ledger.all("tea");
    assert_eq!(ids(&pack.items), [kept]);
    assert_eq!(reasons(&pack), [(lost, LeftOutReason::Authority)]);
}

#[test]
fn what_adds_nothing_is_shown_once_and_named() {
    let mut ledger = Ledger::new();
    let first = ledger.say(Origin::User, "The kettle on the stove boils at six in the morning");
    let again = ledger.say(Origin::User, "the kettle on stove boils at six in the morning!");
    let again_plain = ledger.say(Origin::User, "the kettle on a stove boils at six in the morning");
    let other = ledger.say(Origin::User, "The kettle on the stove boils at five in the morning");
    let pack = ledger.all("When does the kettle on the stove boil?");
    let shown = ids(&pack.items);
    assert!([first, again, other].iter().all(|id| shown.contains(id)), "{shown:?}");
    assert_eq!(reasons(&pack), [(again_plain, LeftOutReason::Duplicate)]);
}

#[test]
fn past_the_sixth_item_a_little_of_each_is_shown() {
    let mut ledger = Ledger::new();
    for number in 0..14 {
        let text =
            format!("number {number} tells of a kettle {}", "and of other things ".repeat(16));
        ledger.say(Origin::User, &text);
    }
    let pack = ledger.all("kettle");
    let tokens: Vec<u32> = pack.items.iter().map(|cited| cited.excerpt.tokens).collect();
    assert_eq!(pack.items.len(), 14);
    assert!(tokens.iter().take(6).all(|tokens| *tokens > 40), "{tokens:?}");
    assert!(tokens.iter().skip(6).all(|tokens| *tokens <= 22), "{tokens:?}");
    for cited in &pack.items {
        assert!(cited.excerpt.text.contains("kettle") && cited.excerpt.whole_len > 300);
    }
}

#[test]
fn the_budget_ends_the_pack_at_the_first_that_does_not_fit() {
    let mut ledger = Ledger::new();
    let short = ledger.remember(Rank::User, "tea so");
    let long = ledger.remember(Rank::User, "tea tea tea tea tea");
    assert_eq!(ids(&ledger.all("tea").items), [long, short]);
    let fits = crate::prompt::tokens(for_prompt(&ledger.all("tea").items[..1]).len());
    let pack = ledger.checkout("tea", fits - 1);
    assert_eq!(pack.items, []);
    assert_eq!(reasons(&pack), [(long, LeftOutReason::Budget), (short, LeftOutReason::Budget)]);
    assert_eq!(ids(&ledger.checkout("tea", fits).items), [long]);
}

#[test]
fn of_many_of_one_kind_the_one_that_is_asked_for_is_shown() {
    let mut ledger = Ledger::new();
    for number in 0..40 {
        ledger.remember(Rank::User, &format!("service s{number} uses port {}", 7_000 + number));
    }
    let pack = ledger.all("which port does s7 use?");
    let texts: Vec<&str> = pack.items.iter().map(|item| &*item.excerpt.text).collect();
    assert_eq!(texts, ["service s7 uses port 7007"]);
    assert!(pack.left_out.iter().all(|out| out.reason == LeftOutReason::Faint));
    let request = Request { min_items: 3, ..ledger.request("which port does s7 use?", u32::MAX) };
    assert_eq!(checkout(&ledger.view(), &request).unwrap().items.len(), 3);
}

#[test]
fn a_later_value_comes_first_whatever_word_tells_of_it() {
    let mut ledger = Ledger::new();
    let old = ledger.remember(Rank::User, "The canary gets 5% of traffic.");
    let beside = ledger.remember(Rank::User, "The canary region gets 90% of traffic at night.");
    ledger.now = ledger.now.plus_us(DAY);
    let new = ledger.remember(Rank::User, "Canary share raised to 20% of traffic.");
    let pack = ledger.all("How much traffic does the canary get?");
    let later = |id| pack.items.iter().find(|item| item.id == id).map(|item| item.why.later);
    assert_eq!(ids(&pack.items).first(), Some(&new));
    assert_eq!(later(old), Some(Some(new)));
    assert_eq!(later(beside), Some(None));
}

#[test]
fn the_newest_of_two_values_that_stand_comes_first_and_the_other_says_so() {
    let mut ledger = Ledger::new();
    let old = ledger.remember(Rank::User, "The API listens on port 8080.");
    ledger.now = ledger.now.plus_us(DAY);
    let new = ledger.remember(Rank::User, "The API listens on port 9090.");
    let pack = ledger.all("API 8080 listens on port");
    assert_eq!(ids(&pack.items), [new, old]);
    let later: Vec<_> = pack.items.iter().map(|item| item.why.later).collect();
    assert_eq!(later, [None, Some(new)]);
    assert!(pack.items[0].why.relevance < pack.items[1].why.relevance);
    assert!(for_prompt(&pack.items).contains("older; newer: mem_"));
    // Another rule is no newer value, and nobody passes what is guarded more.
    let mut ledger = Ledger::new();
    ledger.remember(Rank::User, "Rule 1: keep the tests green.");
    ledger.remember(Rank::User, "Rule 2: keep the tests green.");
    ledger.remember(Rank::User, "The API listens on port 8080.");
    ledger.remember(Rank::Assistant, "The API listens on port 9090.");
    let pack = ledger.all("Rule to keep tests green, API port");
    assert_eq!(pack.items.len(), 4);
    assert!(pack.items.iter().all(|item| item.why.later.is_none()));
}

#[test]
fn a_question_about_oneself_is_answered_by_ones_own_words() {
    let mut ledger = Ledger::new();
    let ana = ledger.remember(Rank::User, "I live in Lyon");
    let ask = |asker| Ask { asker, ..ledger.ask("Where do I live?") };
    for (asker, evidence) in [("User", true), ("bob", false), ("", true)] {
        let request = Request { ask: ask(asker), ..ledger.request("", u32::MAX) };
        let pack = checkout(&ledger.view(), &request).unwrap();
        assert_eq!(ids(&pack.items), [ana]);
        assert_eq!(pack.items[0].why.evidence, evidence, "{asker}");
    }
}

#[test]
fn a_programs_words_are_not_lifted_above_another_persons() {
    let mut ledger = Ledger::new();
    let person = ledger.remember(Rank::User, "My flight leaves from gate nine.");
    let program = ledger.remember(Rank::Assistant, "A flight leaves from a gate, mostly.");
    let ask = Ask { asker: "bob", ..ledger.ask("From which gate does my flight leave?") };
    let request = Request { ask, ..ledger.request("", u32::MAX) };
    let pack = checkout(&ledger.view(), &request).unwrap();
    assert_eq!(ids(&pack.items), [person, program]);
}
