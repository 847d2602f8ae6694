//! Sessions that run tools, and what is proposed of what they did again and again.

use std::collections::{BTreeMap, BTreeSet};

use memlith::{
    Change, Digest, Error, Ledger, RecordId, Scope,
    copy::{Format, ImportOptions},
    procedures::{Mined, MinedStanding, MinedStep, MiningOptions, ProposedProcedure},
    read::OwnStatus,
};
use serde_json::{Value, json};

use super::effect::{Attempt, Effect};
use super::naive::{Naive, NaiveItem, Procedure, Who, word_of};
use super::play::{Judged, Play, caller, who};

/// When every session ran, in microseconds: thirty days before the first step.
const RAN: i64 = 1_775_044_800_000_000;

const SECOND_US: i64 = 1_000_000;

/// The tool calls of a session; the last one says next to nothing.
pub(super) const CALLS: usize = 3;

/// The procedures that are proposed.
const PROCEDURES: u8 = 3;

/// The first of the numbers of procedures.
const MINED: usize = 1_200;

/// No procedure stands on fewer sessions.
const REQUIRED_LEAST: usize = 2;

impl Naive {
    /// The rank that leaves too few of the cited sessions, if there are too few; a session is
    /// as broken as its worst record.
    pub(super) fn outvoted(&self, required: usize, sources: &[usize]) -> Option<u8> {
        let mut sessions: BTreeMap<Option<usize>, Option<u8>> = BTreeMap::new();
        for source in sources {
            let session = self.items.get(*source).and_then(|item| item.session);
            let worst = sessions.entry(session).or_default();
            *worst = self.breaks(*source).max(*worst);
        }
        let mut ranks: Vec<Option<u8>> = sessions.into_values().collect();
        ranks.sort_unstable();
        ranks.get(required - 1).copied().unwrap_or(Some(u8::MAX))
    }

    /// The records of runs.
    pub(super) fn runs(&self) -> Vec<usize> {
        let is_run = |(_, item): &(usize, &NaiveItem)| item.session.is_some();
        self.items.iter().enumerate().filter(is_run).map(|(at, _)| at).collect()
    }

    /// How many sessions ran.
    fn sessions(&self) -> usize {
        self.items.iter().filter_map(|item| item.session).max().map_or(0, |last| last + 1)
    }

    /// Those of the same number that a proposal goes beyond; `None` where one bars it.
    fn proposed_before(&self, number: u8, support: usize) -> Option<Vec<usize>> {
        let mut before = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            let Some(procedure) = item.procedure.filter(|known| known.number == number) else {
                continue;
            };
            match item.own {
                OwnStatus::Rejected | OwnStatus::Invalidated => return None,
                OwnStatus::Pending | OwnStatus::Active => {
                    let grown = support * 2 >= procedure.support * 3;
                    if !grown && self.stale(at).is_none() {
                        return None;
                    }
                    before.push(at);
                }
                OwnStatus::Retracted | OwnStatus::Erased => {}
            }
        }
        Some(before)
    }

    /// Takes in the records of a session.
    pub(super) fn ran(&mut self, session: usize, calls: &[usize], ids: &[RecordId]) {
        for (id, call) in ids.iter().zip(calls) {
            let second = i64::try_from(*call).unwrap_or_default();
            self.add(*id, "", Who::Tool, RAN + second * SECOND_US, None);
            if let Some(item) = self.items.last_mut() {
                (item.session, item.call) = (Some(session), *call);
            }
        }
    }

    /// Takes in a proposal.
    pub(super) fn mined(&mut self, id: RecordId, text: &str, proposal: &Proposal, time: i64) {
        for at in &proposal.before {
            if let Some(item) = self.items.get_mut(*at)
                && item.own == OwnStatus::Pending
            {
                item.own = OwnStatus::Retracted;
            }
        }
        self.add(id, text, Who::Miner, time, None);
        self.settle_new(true, None);
        if let Some(item) = self.items.last_mut() {
            item.derived = true;
            item.against.clone_from(&proposal.before);
            item.justifications = vec![proposal.sources.clone()];
            item.procedure = Some(proposal.procedure);
        }
    }
}

/// A procedure that is proposed: what it cites, and what was proposed of it before.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) procedure: Procedure,
    pub(super) sources: Vec<usize>,
    pub(super) before: Vec<usize>,
}

impl Play {
    /// Two sessions run their tools.
    pub(super) fn run(&mut self) -> Judged {
        self.run_one()?;
        self.run_one()
    }

    fn run_one(&mut self) -> Judged {
        self.import(self.timeline.now().sessions())
    }

    /// A session that ran before is imported once more: what is there is left alone, and what
    /// was erased stays erased.
    pub(super) fn run_again(&mut self, session: u8) -> Judged {
        let chosen = usize::from(session).checked_rem(self.timeline.now().sessions());
        chosen.map_or(Ok(()), |session| self.import(session))
    }

    fn import(&mut self, session: usize) -> Judged {
        let now = self.timeline.now();
        let ((calls, barred), before) = (now.calls_due(session), now.items.len());
        let due = calls.len();
        let attempt = Attempt { effect: Effect::Run { session, calls }, time: self.world.time().0 };
        let scope = Scope::tenant("default");
        let options = ImportOptions { scope, ..ImportOptions::default() };
        let ran = self.world.ledger(true).and_then(|ledger| {
            ledger.import(Format::Codex, transcript(session).as_bytes(), options)
        });
        let report = match ran {
            Ok(report) => report,
            Err(error) => return self.failed(&error, attempt),
        };
        let skipped = report.skipped.get("erased-here").copied().unwrap_or_default();
        if usize::try_from(skipped) != Ok(barred) {
            return Err(format!("wrong: {barred} are erased, and {skipped} were left out"));
        }
        match report.added {
            0 => self.nothing_new()?,
            _ => self.acknowledged(&attempt, true)?,
        }
        match self.timeline.now().items.len() - before {
            added if added == due => Ok(()),
            added => Err(format!("wrong: {due} records of runs were due, and {added} came")),
        }
    }

    pub(super) fn withdraw(&mut self, run: u8, assistant: bool) -> Judged {
        let runs = self.timeline.now().runs();
        let chosen = usize::from(run).checked_rem(runs.len());
        let Some(at) = chosen.and_then(|chosen| runs.get(chosen).copied()) else { return Ok(()) };
        let now = self.timeline.now();
        if now.is_active(at) {
            let who = who(assistant);
            let verdict = now.judge_invalidate(at, who);
            let change = Change::Invalidate { weight: None, reason: None };
            return self.change(at, who, change, verdict, Effect::Invalidate { at, who });
        }
        let verdict = now.judge_reconfirm(at);
        let change = Change::Reconfirm { reason: None };
        self.change(at, Who::User, change, verdict, Effect::Reconfirm { at })
    }

    /// Looks for procedures, and proposes one that is made up of the records there are.
    pub(super) fn mine(&mut self, which: u8, required: u8) -> Judged {
        let now = self.timeline.now();
        let left_out = usize::from(which / PROCEDURES) % (now.sessions() + 1);
        let cited = |at: &usize| {
            now.items
                .get(*at)
                .is_some_and(|item| item.own == OwnStatus::Active && item.session != Some(left_out))
        };
        let sources: Vec<usize> = now.runs().into_iter().filter(cited).collect();
        let session = |at: &usize| now.items.get(*at).and_then(|item| item.session);
        let support = sources.iter().filter_map(session).collect::<BTreeSet<_>>().len();
        let number = which % PROCEDURES;
        let asked = u32::from(required % 4);
        let required = usize::from(required % 4).max(REQUIRED_LEAST);
        let before = now.proposed_before(number, support).filter(|_| support >= required);
        let rests_on = sources.iter().map(|at| self.id(*at)).collect();
        let mined = described(number, support, asked);
        let text = mined.text();
        let proposed = ProposedProcedure { mined, rests_on };
        let is_due = before.is_some();
        let procedure = Procedure { number, support, required };
        let proposal = Proposal { procedure, sources, before: before.unwrap_or_default() };
        self.said_now(word_of(&text));
        let attempt =
            Attempt { effect: Effect::Mine { text, proposal }, time: self.world.time().0 };
        let standing = self.world.ledger(true).and_then(|ledger| {
            if asked == 0 {
                look(ledger)?;
            }
            ledger.propose_procedure(&caller(Who::User), &proposed)
        });
        match standing {
            Err(error) => self.failed(&error, attempt),
            Ok(MinedStanding::Proposed(_)) if is_due => {
                self.acknowledged(&attempt, self.world.is_immediate())
            }
            Ok(MinedStanding::Known { .. } | MinedStanding::Refused(_)) if !is_due => {
                self.played.rejections += 1;
                self.nothing_new()
            }
            Ok(standing) => Err(format!("wrong: {standing:?} of a proposal, due: {is_due}")),
        }
    }
}

/// Mines, and writes nothing.
fn look(ledger: &Ledger) -> Result<(), Error> {
    ledger.mine(&caller(Who::User), MiningOptions::default(), false).map(drop)
}

/// A procedure of this number.
fn described(number: u8, support: usize, required: u32) -> Mined<'static> {
    let number = MINED + usize::from(number);
    let step = |verb: &str| MinedStep {
        verb: verb.to_owned().into(),
        parameters: "--all".to_owned().into(),
    };
    Mined {
        title: format!("The routine zq{number}x lives in room {number}").into(),
        identity: Digest([u8::try_from(number % 256).unwrap_or(0); 32]),
        steps: vec![step("cargo fmt"), step("cargo test")],
        support: u32::try_from(support).unwrap_or(u32::MAX),
        required,
        method: "by hand".to_owned().into(),
        version: 1,
        ..Mined::default()
    }
}

/// A session that called its tools, in the layout of Codex.
fn transcript(session: usize) -> String {
    let at = |second: i64| format!("2026-04-01T12:00:{second:02}.000Z");
    let meta = json!({"id": format!("r{session}"), "cwd": "/shop", "originator": "codex_cli_rs"});
    let line = |second, kind: &str, payload: Value| {
        json!({"timestamp": at(second), "type": kind, "payload": payload}).to_string() + "\n"
    };
    let mut text = line(0, "session_meta", meta);
    for call in 1..=CALLS {
        let (name, arguments, output) = called(call);
        let (id, second) = (format!("c{call}"), i64::try_from(call).unwrap_or_default());
        text += &line(
            second,
            "response_item",
            json!({
                "type": "function_call", "name": name, "arguments": arguments, "call_id": id,
            }),
        );
        text += &line(
            second,
            "response_item",
            json!({
                "type": "function_call_output", "call_id": id, "output": output,
            }),
        );
    }
    text
}

/// The tool of a call, its arguments, and what came of it.
fn called(call: usize) -> (&'static str, String, String) {
    if call == CALLS {
        return ("w", "{}".to_owned(), String::new());
    }
    let arguments = json!({"command": ["bash", "-lc", format!("cargo step{call}")]});
    let output = json!({"output": "", "metadata": {"exit_code": 0}});
    ("shell", arguments.to_string(), output.to_string())
}

/// The words of a call's record, as far as they tell it from others.
pub(super) fn call_words(call: usize) -> String {
    let (name, arguments, _) = called(call);
    format!("{name} {arguments}")
}
