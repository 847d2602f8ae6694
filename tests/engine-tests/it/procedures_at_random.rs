//! Random histories of proposals, beside an oracle that keeps lists.

use memlith::{
    Change, Digest, Ledger, RecordId,
    copy::{Format, ImportOptions},
    procedures::{Mined, MinedStanding, MinedStep, ProposedProcedure},
    prove::Replay,
    read::OwnStatus,
    write::Rejection,
};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{World, ana, head, invalidate, owner, reconfirm};

#[derive(Clone, Debug)]
enum Step {
    /// A tool runs in a session.
    Ran(u8),
    Withdraw(u8),
    Reconfirm(u8),
    Erase(u8),
    /// A procedure is proposed: which, followed how often, standing on how many, of which records.
    Propose(u8, u32, u32, Vec<u8>),
    TurnDown(u8),
    Checkpoint,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let on = prop::collection::vec(any::<u8>(), 2..10);
    prop_oneof![
        8 => (0u8..4).prop_map(Step::Ran),
        4 => any::<u8>().prop_map(Step::Withdraw),
        2 => any::<u8>().prop_map(Step::Reconfirm),
        1 => any::<u8>().prop_map(Step::Erase),
        6 => (0u8..3, 1u32..20, 0u32..4, on).prop_map(|(a, b, c, d)| Step::Propose(a, b, c, d)),
        1 => any::<u8>().prop_map(Step::TurnDown),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Reopen),
    ]
}

/// State that a ledger should have.
#[derive(Default)]
struct Naive {
    records: Vec<NaiveRecord>,
    procedures: Vec<NaiveProcedure>,
}

struct NaiveRecord {
    id: RecordId,
    session: u8,
    own: OwnStatus,
}

struct NaiveProcedure {
    id: RecordId,
    what: u8,
    support: u32,
    required: u32,
    cited: Vec<usize>,
    own: OwnStatus,
}

/// Expected outcome of a proposal.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Refused,
    Known(RecordId),
    Proposed,
}

impl Naive {
    /// How many of the sessions that are cited have no record that is gone.
    fn standing(&self, cited: &[usize]) -> u32 {
        let whole = |session: u8| {
            let mut its =
                cited.iter().filter(|at| self.records[**at].session == session).peekable();
            its.peek().is_some() && its.all(|at| self.records[*at].own == OwnStatus::Active)
        };
        (0..4).map(|session| u32::from(whole(session))).sum()
    }

    fn is_stale(&self, one: &NaiveProcedure) -> bool {
        self.standing(&one.cited) < one.required.max(2)
    }

    fn judge(&self, what: u8, support: u32, required: u32, cited: &[usize]) -> Verdict {
        let gone = cited.iter().any(|at| self.records[*at].own != OwnStatus::Active);
        if gone || self.standing(cited) < required.max(2) {
            return Verdict::Refused;
        }
        for one in self.procedures.iter().filter(|one| one.what == what) {
            let waits_on = || support * 2 < one.support * 3 && !self.is_stale(one);
            if one.own == OwnStatus::Invalidated || one.own == OwnStatus::Pending && waits_on() {
                return Verdict::Known(one.id);
            }
        }
        Verdict::Proposed
    }

    fn erase(&mut self, at: usize) {
        self.records[at].own = OwnStatus::Erased;
        for one in self.procedures.iter_mut().filter(|one| one.cited.contains(&at)) {
            one.own = OwnStatus::Erased;
        }
    }
}

fn run(ledger: &Ledger, session: u8, number: usize) -> RecordId {
    let time = "2026-04-01T12:00:00.000Z";
    let meta = json!({"id": format!("s{session}"), "cwd": "/", "originator": "codex_cli_rs"});
    let call = format!("c{number}");
    let ran = json!({"type": "function_call", "name": format!("tool{number}"), "arguments": "{}",
        "call_id": call});
    let output = json!({"type": "function_call_output", "call_id": call, "output": "ok"});
    let lines = [("session_meta", meta), ("response_item", ran), ("response_item", output)];
    let line = |(kind, payload)| {
        format!("{}\n", json!({"timestamp": time, "type": kind, "payload": payload}))
    };
    let document: String = lines.into_iter().map(line).collect();
    let before = head(ledger);
    ledger.import(Format::Codex, document.as_bytes(), ImportOptions::default()).unwrap();
    let mut records = ledger.records(before.next(), None).unwrap().map(Result::unwrap);
    records.find(|record| record.kind == memlith::log::Kind::TOOL_RAN.number).unwrap().id()
}

fn proposed(what: u8, support: u32, required: u32, on: Vec<RecordId>) -> ProposedProcedure {
    let step = MinedStep { verb: format!("step {what}").into(), parameters: "".into() };
    let mined = Mined {
        title: format!("Procedure {what}").into(),
        identity: Digest([what; 32]),
        steps: vec![step],
        support,
        required,
        ..Mined::default()
    };
    ProposedProcedure { mined, rests_on: on }
}

/// Does a step on the ledger, and in the oracle.
fn play(
    ledger: &Ledger,
    naive: &mut Naive,
    number: usize,
    step: &Step,
) -> Result<(), TestCaseError> {
    let pick = |at: u8, of: usize| usize::from(at).checked_rem(of);
    let record = |naive: &Naive, at: u8| pick(at, naive.records.len());
    match step {
        Step::Ran(session) => {
            let id = run(ledger, *session, number);
            naive.records.push(NaiveRecord { id, session: *session, own: OwnStatus::Active });
        }
        Step::Withdraw(at) => {
            let Some(at) = record(naive, *at) else { return Ok(()) };
            if naive.records[at].own == OwnStatus::Active {
                invalidate(ledger, naive.records[at].id);
                naive.records[at].own = OwnStatus::Invalidated;
            }
        }
        Step::Reconfirm(at) => {
            let Some(at) = record(naive, *at) else { return Ok(()) };
            if naive.records[at].own == OwnStatus::Invalidated {
                reconfirm(ledger, naive.records[at].id);
                naive.records[at].own = OwnStatus::Active;
            }
        }
        Step::Erase(at) => {
            let Some(at) = record(naive, *at) else { return Ok(()) };
            ledger.erasure().erase(&owner(), &[naive.records[at].id]).unwrap();
            naive.erase(at);
        }
        Step::Propose(what, support, required, on) => {
            let mut cited: Vec<usize> = on.iter().filter_map(|at| record(naive, *at)).collect();
            cited.sort_unstable();
            cited.dedup();
            propose(ledger, naive, (*what, *support, *required), cited)?;
        }
        Step::TurnDown(at) => {
            let Some(at) = pick(*at, naive.procedures.len()) else { return Ok(()) };
            if naive.procedures[at].own == OwnStatus::Pending {
                let change = Change::Invalidate { weight: None, reason: None };
                let _ = ledger.change(&ana(), change, [naive.procedures[at].id]).unwrap();
                naive.procedures[at].own = OwnStatus::Invalidated;
            }
        }
        Step::Checkpoint => drop(ledger.checkpoints().write().unwrap()),
        Step::Reopen => {}
    }
    Ok(())
}

fn propose(
    ledger: &Ledger,
    naive: &mut Naive,
    (what, support, required): (u8, u32, u32),
    cited: Vec<usize>,
) -> Result<(), TestCaseError> {
    let verdict = naive.judge(what, support, required, &cited);
    let on = cited.iter().map(|at| naive.records[*at].id).collect();
    let standing =
        ledger.propose_procedure(&ana(), &proposed(what, support, required, on)).unwrap();
    let found = match &standing {
        MinedStanding::Refused(Rejection::KnownProcedure { .. }) | MinedStanding::New => {
            return Err(TestCaseError::fail(format!("{standing:?}")));
        }
        MinedStanding::Refused(_) => Verdict::Refused,
        MinedStanding::Known { id, .. } => Verdict::Known(*id),
        MinedStanding::Proposed(_) => Verdict::Proposed,
    };
    prop_assert_eq!(found, verdict);
    if let MinedStanding::Proposed(id) = standing {
        let same = naive.procedures.iter_mut().filter(|one| one.what == what);
        for one in same.filter(|one| one.own == OwnStatus::Pending) {
            one.own = OwnStatus::Retracted;
        }
        let own = OwnStatus::Pending;
        naive.procedures.push(NaiveProcedure { id, what, support, required, cited, own });
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn proposals_stand_as_a_list_of_sessions_says(steps in prop::collection::vec(step(), 1..40)) {
        let world = World::new();
        let mut ledger = world.init();
        let mut naive = Naive::default();
        for (number, step) in steps.iter().enumerate() {
            world.tick();
            play(&ledger, &mut naive, number, step)?;
            if matches!(step, Step::Reopen) {
                drop(ledger);
                ledger = world.open();
            }
            for one in &naive.procedures {
                let item = ledger.show(&ana(), one.id).unwrap().item;
                prop_assert_eq!(item.own, one.own, "{}", one.id);
                let erased = one.own == OwnStatus::Erased;
                prop_assert_eq!(item.is_stale(), !erased && naive.is_stale(one), "{}", one.id);
            }
        }
        let live = ledger.audit().digest().unwrap().digest;
        for threads in [1, 2] {
            let replay = Replay { threads: Some(threads), ..Replay::default() };
            prop_assert_eq!(ledger.audit().replay(&replay).unwrap().digest, live);
        }
    }
}
