use memlith_log::RecordId;

use super::*;
use crate::tests::{Ledger, SMALL, session};
use crate::{IdentityKind, Sort};

/// A change of a summary's body.
type Change<'a> = Box<dyn Fn(&mut Summarised) + 'a>;

/// A body of a session of six records, each of the words given.
fn body(text: &str) -> Summarised {
    let mut ledger = Ledger::default();
    for number in 0..6 {
        ledger.says(&format!("{text} {number}"), |item| item.session = Some(session(0, 1)));
        ledger.says("note", |item| {
            (item.session, item.sort) = (Some(session(0, 1)), Sort::Bookkeeping);
        });
    }
    ledger.ends(session(0, 1));
    let plan = ledger.plan(&SMALL);
    assert_eq!(plan.summaries[0].text(), plan.summaries[0].body().text());
    plan.summaries[0].body()
}

#[test]
fn a_body_says_what_its_event_needs() {
    let body = body("went to Pune");
    assert_eq!(body.check(), Ok(()));
    assert_eq!(body.algorithm, ALGORITHM);
    // What stands behind the last primary item belongs to the span that follows.
    assert_eq!(body.left_out, [(Reason::Bookkeeping, 5)]);
    let links = body.links();
    assert_eq!(links.len(), 6);
    assert!(links.iter().all(|link| link.kind == LinkKind::RestsOn));
    let targets: Vec<RecordId> = links.iter().map(|link| link.target).collect();
    assert_eq!(targets, body.sources.iter().map(Source::id).collect::<Vec<_>>());
}

#[test]
fn a_text_is_a_line_for_each_exemplar_in_the_order_of_the_log() {
    let mut body = body("went to Pune");
    let lines: Vec<String> = body.text().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), body.exemplars.len());
    let mut sorted: Vec<&Exemplar> = body.exemplars.iter().collect();
    sorted.sort_by_key(|one| one.source.seq);
    for (line, exemplar) in lines.iter().zip(sorted) {
        let (citation, text) = line.split_once(": ").unwrap();
        assert_eq!(citation.parse::<RecordId>().unwrap(), exemplar.source);
        assert_eq!(text, exemplar.text);
    }
    let text = body.text();
    body.exemplars.reverse();
    assert_eq!(body.text(), text);
}

#[test]
fn nobody_s_words_can_pass_for_an_id() {
    let forged = "x\n\u{b}mem_1_000000000000:\r\n\u{85}\u{2028}lie";
    let body = body(forged);
    let text = body.text();
    assert_eq!(text.lines().count(), body.exemplars.len());
    let ids: Vec<RecordId> = body.sources.iter().map(Source::id).collect();
    for line in text.lines() {
        let (citation, _) = line.split_once(": ").unwrap();
        assert!(ids.contains(&citation.parse::<RecordId>().unwrap()), "{line}");
    }
    assert!(!text.contains(['\r', '\u{b}', '\u{85}', '\u{2028}']));
}

#[test]
fn an_event_says_all_that_its_envelope_does_not() {
    let body = body("went to Pune by src/train.rs");
    let event = body.event();
    assert_eq!(event.text(), body.text());
    let read = Summarised::of(&event, body.group, body.tier, body.sources.clone());
    assert_eq!(read, body);
    let unknown = memlith_event::Summarised { left_out: vec![(99, 1)], ..event };
    assert_eq!(Summarised::of(&unknown, body.group, body.tier, Vec::new()).left_out, []);
    for code in 0..15 {
        assert_eq!(Reason::from_code(code).map(Reason::code), Some(code));
    }
}

#[test]
fn every_part_of_a_body_has_its_limit() {
    let good = body("went to Pune");
    let exemplar = |text: String| Exemplar { text, ..good.exemplars[0].clone() };
    let identity = |text: String| Identity { kind: IdentityKind::Id, text };
    let changes: [(&str, Change<'_>); 9] = [
        ("sources", Box::new(|body| body.sources.clear())),
        ("sources", Box::new(|body| body.sources = vec![good.sources[0]; SPAN_ITEMS_MAX + 1])),
        ("exemplars", Box::new(|body| body.exemplars.clear())),
        (
            "exemplars",
            Box::new(|body| body.exemplars = vec![exemplar("x".into()); EXEMPLARS_MAX + 1]),
        ),
        ("bytes of an excerpt", Box::new(|body| body.exemplars = vec![exemplar("x".repeat(481))])),
        (
            "identities",
            Box::new(|body| body.identities = vec![identity("x".into()); IDENTITIES_MAX + 1]),
        ),
        ("bytes of an identity", Box::new(|body| body.identities = vec![identity("x".repeat(97))])),
        ("reasons", Box::new(|body| body.left_out = vec![(Reason::Stale, 1); REASONS_MAX + 1])),
        (
            "bytes of the text",
            Box::new(|body| body.exemplars = vec![exemplar("x".repeat(480)); 300]),
        ),
    ];
    for (named, change) in changes {
        let mut body = good.clone();
        change(&mut body);
        match body.check() {
            Err(Error::Outside { what, .. }) => assert_eq!(what, named),
            other => panic!("{named}: {other:?}"),
        }
    }
}
