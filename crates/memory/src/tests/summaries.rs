//! Conditions of a summary at the door, and how one stands.

use memlith_event::{Quote, Rank, Summarised};
use memlith_log::{Digest, RecordId, Seq};

use super::bench::{Bench, confirm, invalidate, lives_in, reconfirm, resting, text};
use crate::*;

/// A summary of these sources, that quotes the first.
fn of(sources: &[RecordId], identity: u8) -> Command {
    let first = sources.first().copied().unwrap_or_default();
    let quote = Quote { source: first, start: 0, end: 3, text: "tea".into() };
    let summary = Summarised {
        algorithm: 2,
        id: Digest([identity; 32]),
        span: Digest([9; 32]),
        first: first.seq,
        last: sources.last().map_or(Seq(0), |last| last.seq),
        quotes: vec![quote],
        mentions: Vec::new(),
        left_out: Vec::new(),
    };
    Command::Summarise(Box::new(Summarise { summary, sources: sources.to_vec() }))
}

fn bench() -> (Bench, Vec<RecordId>) {
    let mut bench = Bench::new();
    let words = ["tea is green", "coffee is black", "milk is white", "rice is nice"];
    let remember = |word: &&str| bench.remember(Rank::User, text(word)).unwrap().0;
    let all = words.iter().map(remember).collect();
    (bench, all)
}

fn written(bench: &mut Bench, command: &Command) -> RecordId {
    bench.run(Rank::Engine, command).unwrap()[0].0
}

#[test]
fn a_summary_is_refused_unless_every_source_stands() {
    let (mut bench, all) = bench();
    let refused = |bench: &Bench, sources: &[RecordId]| {
        bench.memory.decide(&of(sources, 1), &bench.door(Rank::Engine)).unwrap_err()
    };
    assert_eq!(refused(&bench, &[]), Rejection::Unfounded);
    let twice = Rejection::DuplicateTarget { id: all[0] };
    assert_eq!(refused(&bench, &[all[0], all[0]]), twice);
    let unknown = RecordId { seq: Seq(999), hash: [0; 6] };
    assert_eq!(refused(&bench, &[all[0], unknown]), Rejection::NotFound { id: unknown });
    let Command::Summarise(mut quoting) = of(&all[..2], 1) else { unreachable!() };
    quoting.summary.quotes[0].source = all[3];
    let quoting = bench.memory.decide(&Command::Summarise(quoting), &bench.door(Rank::Engine));
    assert_eq!(quoting, Err(Rejection::NotFound { id: all[3] }));
    let many = vec![all[0]; SOURCES_MAX + 1];
    assert!(matches!(refused(&bench, &many), Rejection::TooManySources { .. }));

    // Superseded, pending, stale, invalidated, derived, of another session.
    let pune = bench.remember(Rank::User, lives_in("Pune")).unwrap().0;
    bench.remember(Rank::User, lives_in("Goa")).unwrap();
    let pending = bench.remember(Rank::Web, text("buy this")).unwrap().0;
    let stale = bench.remember(Rank::User, resting("so it is", &[all[3]])).unwrap().0;
    bench.change(Rank::User, invalidate(), all[3]).unwrap();
    let gone = [
        (pune, Authority::Superseded),
        (pending, Authority::Pending),
        (stale, Authority::Stale),
        (all[3], Authority::Invalidated),
    ];
    for (id, authority) in gone {
        let expected = Rejection::Status { id, authority, command: "summarised" };
        let mut sources = vec![all[0], id];
        sources.sort_unstable();
        assert_eq!(refused(&bench, &sources), expected);
    }
    let summary = written(&mut bench, &of(&all[..2], 1));
    assert_eq!(refused(&bench, &[all[2], summary]), Rejection::IsDerived { id: summary });
    bench.scope.session = Some("monday".into());
    let monday = bench.remember(Rank::User, text("a day of the week")).unwrap().0;
    bench.scope.session = None;
    assert_eq!(refused(&bench, &[all[0], monday]), Rejection::OtherScope { id: monday });
}

#[test]
fn one_of_the_same_sources_is_refused_until_it_falls() {
    let (mut bench, all) = bench();
    let again = |bench: &Bench, sources: &[RecordId], identity| {
        bench.memory.decide(&of(sources, identity), &bench.door(Rank::Engine)).map(drop)
    };
    let first = written(&mut bench, &of(&all[..3], 1));
    let already = Err(Rejection::AlreadySummarised { id: first });
    assert_eq!(again(&bench, &all[..3], 1), already);
    bench.change(Rank::User, invalidate(), first).unwrap();
    assert_eq!(again(&bench, &all[..3], 1), already, "somebody took it out");
    bench.change(Rank::User, reconfirm(), first).unwrap();
    // Another with a source of it takes its place, at every instant.
    let second = written(&mut bench, &of(&all[2..], 2));
    assert_eq!(bench.authority(first), Authority::Superseded);
    assert_eq!(bench.authority(second), Authority::Active);
    let early = bench.memory.authority(first.seq, memlith_log::Timestamp(0));
    assert_eq!(early, Some(Authority::Superseded));
    assert!(!bench.memory.bars_summary(first.seq) && bench.memory.bars_summary(second.seq));
    assert_eq!(again(&bench, &all[..3], 1), Ok(()));
}

#[test]
fn a_summary_stands_and_falls_with_every_source_and_vouches_for_nothing() {
    let (mut bench, all) = bench();
    let summary = written(&mut bench, &of(&all, 1));
    let guard = bench.memory.item(summary.seq).unwrap().guard;
    bench.change(Rank::User, confirm(), summary).unwrap();
    bench.change(Rank::Owner, Change::Promote { weight: None }, summary).unwrap();
    let item = bench.memory.item(summary.seq).unwrap();
    assert_eq!((item.guard, item.guard), (guard, item.tier.0));
    assert_eq!(bench.memory.justifications(summary.seq).len(), 1);
    for source in &all {
        bench.change(Rank::User, invalidate(), *source).unwrap();
        assert_eq!(bench.authority(summary), Authority::Stale);
        let refused = bench.change(Rank::User, confirm(), summary);
        assert!(matches!(refused, Err(Rejection::Status { .. })), "{refused:?}");
        bench.change(Rank::User, reconfirm(), *source).unwrap();
        assert_eq!(bench.authority(summary), Authority::Active);
    }
    let pinned = bench.change(Rank::User, Change::Pin, summary);
    assert_eq!(pinned, Err(Rejection::IsSummary { id: summary, command: "pinned" }));
    let asked = |asked| bench.memory.visibility(&item, bench.now, asked);
    assert_eq!(asked(true), Visibility::Shown(Authority::Active));
    assert!(matches!(asked(false), Visibility::LeftOut(_)), "never unprompted");
}
