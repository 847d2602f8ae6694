use memlith_event::{OwnStatus, Tier};
use memlith_log::Digest;

use super::*;
use crate::tests::{Ledger, SMALL, cell, session};
use crate::{Error, Exemplar, SessionEnd, plan};

/// A session of six records that have nothing in common, that ended, and another's record.
fn ledger() -> Ledger {
    let mut ledger = Ledger::default();
    for number in 0..6 {
        let text = format!("a{number} b{number} then Ana went to src/{number}.rs");
        ledger.says(&text, |item| item.session = Some(session(0, 1)));
    }
    ledger.ends(session(0, 1));
    ledger.says("elsewhere", |item| item.cell = cell(1));
    ledger
}

/// Audits the ledger's summary once it was changed.
fn found(ledger: &Ledger, change: impl FnOnce(&mut Summarised)) -> Audit {
    let planned = super::tests::ledger().plan(&SMALL);
    let mut body = planned.summaries[0].body();
    change(&mut body);
    audit(&ledger.view(), ledger, &body, ledger.view().seq.next())
}

fn check(ledger: &Ledger, change: impl FnOnce(&mut Summarised), expected: &[Finding]) {
    assert_eq!(found(ledger, change).findings, expected);
}

/// A body whose identity is made right after a change of its sources.
fn cites(change: impl FnOnce(&mut Vec<Source>)) -> impl FnOnce(&mut Summarised) {
    |body| {
        change(&mut body.sources);
        body.id = SummaryId::of(&body.sources);
    }
}

#[test]
fn a_planned_summary_keeps_everything_it_has_to() {
    let audit = found(&ledger(), |_| ());
    assert_eq!(audit.findings, []);
    assert_eq!(audit.cited, Share { part: 6, whole: 6 });
    // Six paths, one name, twelve ids and the session.
    assert_eq!(audit.identities, Share { part: 20, whole: 20 });
    assert_eq!(audit.salience.per_mille(), 1_000);
}

#[test]
fn an_item_that_is_not_active_is_found() {
    let mut ledger = ledger();
    ledger.item(Seq(2)).own = OwnStatus::Invalidated;
    let seq = Seq(2);
    // What it alone named is named by no source any more: that is found as well.
    let first = |ledger: &Ledger| found(ledger, |_| ()).findings.remove(0);
    assert_eq!(first(&ledger), Finding::NotActive { seq, reason: Reason::Invalidated });
    ledger.item(seq).own = OwnStatus::Active;
    ledger.item(seq).label = memlith_memory::Authority::Stale;
    assert_eq!(first(&ledger), Finding::NotActive { seq, reason: Reason::Stale });
    let id = ledger.item(Seq(3)).id();
    ledger.texts.remove(&id);
    let audit = found(&ledger, |_| ());
    assert!(
        audit.findings.contains(&Finding::NotActive { seq: Seq(3), reason: Reason::Unreadable })
    );
}

#[test]
fn a_wrong_citation_is_found() {
    let ledger = ledger();
    let wrong = Digest([9; 32]);
    let right = ledger.items[3].hash;
    let seq = Seq(4);
    let spoiled = found(&ledger, cites(|sources| sources[3].hash = wrong));
    assert_eq!(spoiled.cited, Share { part: 5, whole: 6 });
    assert_eq!(spoiled.findings[0], Finding::WrongHash { seq, expected: right, found: wrong });
    let last = ledger.items[5].hash;
    let twice = |sources: &mut Vec<Source>| sources.push(Source { seq: Seq(6), hash: last });
    check(&ledger, cites(twice), &[Finding::Twice { seq: Seq(6) }]);
    let gone = |sources: &mut Vec<Source>| sources.push(Source { seq: Seq(7), hash: last });
    check(&ledger, cites(gone), &[Finding::Missing { seq: Seq(7) }]);
    let late = |sources: &mut Vec<Source>| sources.push(Source { seq: Seq(9), hash: last });
    check(&ledger, cites(late), &[Finding::Later { seq: Seq(9) }]);
    let other = Source { seq: Seq(8), hash: ledger.items[6].hash };
    let foreign = |sources: &mut Vec<Source>| sources.push(other);
    check(&ledger, cites(foreign), &[Finding::OtherSpan { seq: Seq(8) }]);
    let fewer = found(&ledger, cites(|sources| sources.truncate(5)));
    assert_eq!(fewer.cited, Share { part: 5, whole: 6 });
    assert!(fewer.findings.contains(&Finding::NotCited { seq: Seq(6) }), "{:?}", fewer.findings);
}

#[test]
fn a_wrong_claim_is_found() {
    let ledger = ledger();
    let (span, id) = (SpanId(Digest([1; 32])), SummaryId(Digest([1; 32])));
    let [expected, found] = [Tier(4), Tier(3)];
    check(&ledger, |body| body.tier = found, &[Finding::WrongTier { expected, found }]);
    let audit = super::tests::found(&ledger, |body| body.id = id);
    assert!(matches!(&audit.findings[..], [Finding::WrongId { found, .. }] if *found == id));
    let audit = super::tests::found(&ledger, |body| body.span = span);
    assert!(matches!(&audit.findings[..], [Finding::WrongSpan { found, .. }] if *found == span));
    let identity = Identity { kind: IdentityKind::Name, text: "Bo".to_owned() };
    let invented = identity.clone();
    check(&ledger, |body| body.identities.push(invented), &[Finding::Invented { identity }]);
    let none = super::tests::found(&ledger, |body| body.sources.clear());
    let limit = Error::Outside { what: "sources", found: 0, least: 1, most: 4_096 };
    assert_eq!(none.findings[0], Finding::Limit(limit));
}

#[test]
fn a_wrong_quote_is_found() {
    let ledger = ledger();
    let seq = ledger.plan(&SMALL).summaries[0].exemplars[0].source.seq;
    check(&ledger, |body| body.exemplars[0].text.push('!'), &[Finding::NotVerbatim { seq }]);
    check(&ledger, |body| body.exemplars[0].end = u32::MAX, &[Finding::NotVerbatim { seq }]);
    let (id, text) = (ledger.items[6].id(), "elsewhere".to_owned());
    let foreign = Exemplar { source: id, start: 0, end: 9, text };
    check(&ledger, |body| body.exemplars.push(foreign), &[Finding::NoSource { seq: Seq(8) }]);
}

#[test]
fn salience_that_is_lost_is_found() {
    let mut ledger = ledger();
    let seq = ledger.plan(&SMALL).summaries[0].exemplars[0].source.seq;
    // The most salient item is another one than those that are quoted.
    let other =
        ledger.items.iter().map(|item| item.seq).rfind(|other| *other < Seq(7) && *other != seq);
    ledger.item(other.unwrap()).level = Log2(8 * Log2::ONE.0);
    let audit = found(&ledger, |body| body.exemplars.truncate(1));
    let share = Share { part: 0, whole: WEIGHT_ONE };
    assert_eq!(
        (audit.salience, &audit.findings[..]),
        (share, &[Finding::Unpreserved { share }][..])
    );
    // Words of others may represent it.
    let words = ledger.items[0].id();
    let all: Vec<String> = ledger.texts.values().map(|text| text.0.clone()).collect();
    let audit = found(&ledger, |body| {
        body.exemplars = vec![Exemplar { source: words, start: 0, end: 1, text: all.join(" ") }];
    });
    assert_eq!(audit.salience, Share { part: WEIGHT_ONE, whole: WEIGHT_ONE });
}

#[test]
fn an_identity_that_is_lost_counts() {
    let audit = found(&ledger(), |body| {
        body.identities.clear();
        body.exemplars.truncate(1);
    });
    // One exemplar names a path, two ids and Ana; the summary its session.
    assert_eq!(audit.identities, Share { part: 5, whole: 20 });
}

#[test]
fn what_two_summaries_of_a_plan_cite_is_found() {
    let ledger = ledger();
    let mut planned = ledger.plan(&SMALL);
    let mut other = planned.summaries[0].clone();
    other.sources.remove(0);
    other.id = SummaryId::of(&other.sources);
    let id = other.id;
    planned.summaries.push(other);
    let audit = audit_plan(&ledger.view(), &ledger, &planned);
    assert!(audit.findings.contains(&(id, Finding::Twice { seq: Seq(2) })), "{:?}", audit.findings);
    assert_eq!(audit.cited, Share { part: 11, whole: 12 });
}

#[test]
fn findings_are_bounded() {
    let ledger = ledger();
    let gone: Vec<Source> =
        (100..9_000).map(|seq| Source { seq: Seq(seq), hash: Digest([0; 32]) }).collect();
    let audit = found(&ledger, cites(|sources| sources.extend(gone)));
    assert_eq!(audit.findings.len(), FINDINGS_MAX);
}

#[test]
fn a_share_of_nothing_is_all_of_it() {
    assert_eq!(Share::default().per_mille(), 1_000);
    assert_eq!(Share { part: 2, whole: 3 }.per_mille(), 666);
    let whole = Share { part: u64::MAX, whole: u64::MAX };
    assert_eq!((whole.per_mille(), whole.plus(whole).part), (1_000, u64::MAX));
    assert_eq!(Share { part: 4, whole: 8 }.scaled(WEIGHT_ONE / 4), Share { part: 1, whole: 2 });
}

#[test]
fn what_is_salient_among_all_spans_is_quoted_more() {
    // The second session is a hundred times as salient: its items alone are the top decile of
    // both, and all of them are quoted.
    let mut ledger = ledger();
    for number in 0..60 {
        ledger.says(&format!("c{number} d{number}"), |item| {
            item.session = Some(session(0, 2));
            item.level = Log2(if number < 6 { 7 * Log2::ONE.0 } else { 0 });
        });
    }
    ledger.head += 1;
    let end = SessionEnd { session: session(0, 2), at: Seq(ledger.head) };
    ledger.ends.push(end);
    let planned = plan(&ledger.view(), &ledger, &SMALL).unwrap();
    let audit = audit_plan(&ledger.view(), &ledger, &planned);
    assert_eq!(audit.findings, []);
    assert_eq!(audit.salience_least_per_mille, 1_000);
    assert!(audit.salience_overall.per_mille() >= 950, "{audit:?}");
    let quoted = |plan: &Plan, id| {
        let summary = plan.summaries.iter().find(|summary| summary.id == id);
        summary.map_or(0, |summary| summary.exemplars.len())
    };
    let salient = planned.summaries.iter().max_by_key(|one| one.exemplars.len()).unwrap().id;
    assert_eq!(quoted(&planned, salient), 6);
    // Written with no other, it quotes one in three.
    for summary in planned.summaries.iter().filter(|summary| summary.id != salient) {
        assert!(summary.exemplars.len() <= 2);
        ledger.written.insert(summary.id);
    }
    let alone = plan(&ledger.view(), &ledger, &SMALL).unwrap();
    assert_eq!(quoted(&alone, salient), 2);
    let audit = audit_plan(&ledger.view(), &ledger, &alone);
    assert_eq!((audit.findings, audit.salience_least_per_mille), (vec![], 1_000));
}
