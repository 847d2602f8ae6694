use memlith_event::{Event, LinkKind, OwnStatus, Rank, Scope, TaskResult};
use memlith_log::RecordId;

use super::bench::{Bench, invalidate, procedure, reconfirm, text};
use crate::{Authority, Command, ProposedProcedure, Rejection, TaskReport};

/// Two records in each of so many sessions.
fn runs(bench: &mut Bench, sessions: u8) -> Vec<RecordId> {
    (0..sessions * 2).map(|at| bench.ran(&format!("session {}", at / 2))).collect()
}

fn propose(bench: &mut Bench, command: &Command) -> Result<RecordId, Rejection> {
    Ok(bench.run(Rank::Engine, command)?.pop().unwrap().0)
}

#[test]
fn a_procedure_waits_and_is_no_more_trusted_than_its_sources() {
    let mut bench = Bench::new();
    let on = runs(&mut bench, 3);
    let id = propose(&mut bench, &procedure(1, 3, 2, &on)).unwrap();
    let item = bench.memory.item(id.seq).unwrap();
    assert_eq!((item.own, item.is_derived(), item.is_record()), (OwnStatus::Pending, true, false));
    assert_eq!(item.tier.0, 2);
    assert_eq!(bench.authority(id), Authority::Pending);
    assert_eq!(bench.memory.required(id.seq), Some(2));
    assert_eq!(bench.memory.required(on[0].seq), None);
    assert!(bench.memory.assertion(id.seq).is_some());
}

#[test]
fn it_stands_while_enough_sessions_do() {
    let mut bench = Bench::new();
    let on = runs(&mut bench, 4);
    let id = propose(&mut bench, &procedure(1, 4, 3, &on)).unwrap();
    bench.accept(Rank::Reviewer, id).unwrap();
    // Two records of one session are one session less.
    for gone in [on[0], on[1]] {
        bench.change(Rank::User, invalidate(), gone).unwrap();
        assert_eq!(bench.authority(id), Authority::Active);
    }
    bench.change(Rank::User, invalidate(), on[7]).unwrap();
    assert_eq!(bench.authority(id), Authority::Stale);
    assert_eq!(bench.memory.item(id.seq).unwrap().broken_by, Rank::User.level());
    bench.change(Rank::User, reconfirm(), on[1]).unwrap();
    assert_eq!(bench.authority(id), Authority::Stale);
    bench.change(Rank::User, reconfirm(), on[0]).unwrap();
    assert_eq!(bench.authority(id), Authority::Active);
}

#[test]
fn what_rests_on_it_goes_and_comes_back_with_it() {
    let mut bench = Bench::new();
    let on = runs(&mut bench, 3);
    let id = propose(&mut bench, &procedure(1, 3, 3, &on)).unwrap();
    bench.accept(Rank::Reviewer, id).unwrap();
    let cites = crate::Remember { rests_on: vec![id], ..text("Releases go by the procedure.") };
    let (claim, _) = bench.remember(Rank::User, cites).unwrap();
    bench.change(Rank::User, invalidate(), on[2]).unwrap();
    assert_eq!((bench.authority(id), bench.authority(claim)), (Authority::Stale, Authority::Stale));
    bench.change(Rank::User, reconfirm(), on[2]).unwrap();
    assert_eq!(bench.authority(claim), Authority::Active);
}

#[test]
fn the_same_is_proposed_once_and_again_when_it_has_grown() {
    let mut bench = Bench::new();
    let on = runs(&mut bench, 9);
    let old = propose(&mut bench, &procedure(1, 4, 2, &on[..8])).unwrap();
    for support in [4, 5] {
        let known = Rejection::KnownProcedure { id: old, authority: Authority::Pending };
        let again = procedure(1, support, 2, &on[..8]);
        assert_eq!(propose(&mut bench, &again), Err(known));
    }
    // Another procedure, and the same of somebody else, are other ones.
    propose(&mut bench, &procedure(2, 4, 2, &on[..8])).unwrap();
    let mut other = bench.clone();
    other.scope = Scope { subject: Some("bo".into()), ..other.scope };
    propose(&mut other, &procedure(1, 4, 2, &on[..8])).unwrap();

    let events = bench.run(Rank::Engine, &procedure(1, 6, 2, &on)).unwrap();
    let [(_, decided), (new, body)] = &events[..] else { panic!("{events:?}") };
    assert!(matches!(&decided.event, Event::Reconcile(_)));
    let named: Vec<RecordId> = body.envelope.linked(LinkKind::Considered).collect();
    assert_eq!(named, [old]);
    assert!(matches!(body.event, Event::Procedure(_)));
    assert_eq!(bench.authority(old), Authority::Retracted);
    assert_eq!(bench.authority(*new), Authority::Pending);

    // One that was accepted stands until somebody decides on the new one.
    bench.accept(Rank::Reviewer, *new).unwrap();
    let newer = propose(&mut bench, &procedure(1, 9, 2, &on)).unwrap();
    assert_eq!(bench.authority(*new), Authority::Active);
    assert_eq!(bench.authority(newer), Authority::Pending);
}

#[test]
fn one_that_lost_its_sessions_may_be_proposed_of_others() {
    let mut bench = Bench::new();
    let on = runs(&mut bench, 6);
    let old = propose(&mut bench, &procedure(1, 3, 3, &on[..6])).unwrap();
    bench.change(Rank::User, invalidate(), on[0]).unwrap();
    let new = propose(&mut bench, &procedure(1, 3, 3, &on[6..])).unwrap();
    assert_eq!(
        (bench.authority(old), bench.authority(new)),
        (Authority::Retracted, Authority::Pending)
    );
}

#[test]
fn what_was_turned_down_stays_out_however_often_it_is_done() {
    let mut bench = Bench::new();
    let on = runs(&mut bench, 4);
    let id = propose(&mut bench, &procedure(1, 4, 2, &on)).unwrap();
    bench.change(Rank::User, invalidate(), id).unwrap();
    let authority = Authority::Invalidated;
    let known = Rejection::KnownProcedure { id, authority };
    assert_eq!(propose(&mut bench, &procedure(1, 400, 2, &on)), Err(known));
}

#[test]
fn a_procedure_without_ground_is_refused() {
    let mut bench = Bench::new();
    let on = runs(&mut bench, 3);
    let lone = bench.remember(Rank::User, text("no record")).unwrap().0;
    let unknown = RecordId { seq: on[0].seq, hash: [0; 6] };
    let said = bench.ran("session 9");
    bench.change(Rank::User, invalidate(), said).unwrap();
    let of_one = |found, needed| Rejection::TooFewSessions { found, needed };
    let not_active = |id, authority| Rejection::Status { id, authority, command: "rested on" };
    for (on, required, refused) in [
        (vec![], 2, Rejection::Unfounded),
        (on[..2].to_vec(), 0, of_one(1, 2)),
        (on[..4].to_vec(), 3, of_one(2, 3)),
        (vec![on[0], on[0]], 2, Rejection::DuplicateTarget { id: on[0] }),
        (vec![on[0], unknown], 2, Rejection::NotFound { id: unknown }),
        (vec![on[0], lone], 2, not_active(lone, Authority::Active)),
        (vec![on[0], said], 2, not_active(said, Authority::Invalidated)),
        (
            vec![on[0]; ProposedProcedure::SOURCES_MAX + 1],
            2,
            Rejection::TooManySources { found: 1_025, most: 1_024 },
        ),
    ] {
        let refusal = propose(&mut bench, &procedure(1, 3, required, &on));
        assert_eq!(refusal, Err(refused), "{required} of {on:?}");
    }
}

#[test]
fn outcomes_of_a_procedure_are_heard_as_those_of_any_memory() {
    let mut bench = Bench::new();
    let on = runs(&mut bench, 3);
    let id = propose(&mut bench, &procedure(1, 3, 2, &on)).unwrap();
    let report = |result| {
        Command::Report(TaskReport {
            targets: vec![id],
            result,
            verified: true,
            ..TaskReport::default()
        })
    };
    // What waits wasn't followed on anybody's word.
    assert!(bench.run(Rank::Tool, &report(TaskResult::Success)).is_err());
    bench.accept(Rank::Reviewer, id).unwrap();
    bench.run(Rank::Tool, &report(TaskResult::Failure)).unwrap();
    assert_eq!(bench.memory.disputed_by(id.seq).count(), 1);
    // Success from outside is a reason of its own, whatever the sessions come to.
    bench.run(Rank::User, &report(TaskResult::Success)).unwrap();
    assert_eq!(bench.memory.disputed_by(id.seq).count(), 0);
    for gone in &on {
        bench.change(Rank::User, invalidate(), *gone).unwrap();
    }
    assert_eq!(bench.authority(id), Authority::Active);
}
