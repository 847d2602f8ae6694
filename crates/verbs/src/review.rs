use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use memlith::{
    Change, Judgement, Ledger, RecordId, Remember,
    write::Weight,
    write::{CandidateKind, PendingReason, Waiting},
};

use crate::context::Context;
use crate::exit::Exit;
use crate::likeness::How;
use crate::review::waiting::{ListJson, ShowJson};
use crate::target::Target;
use crate::verb::Verb;
use crate::written;

mod edit;
mod page;
mod right;
mod token;
mod waiting;

/// List what waits for review, and accept, reject or defer it.
///
/// Who reviews has a rank of a user at least, and isn't the author. To accept, reject and
/// defer takes the review token, or a person at a terminal.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith review list
  memlith review accept mem_17_0a1b2c3d4e5f --as reviewer
  MEMLITH_REVIEW_TOKEN=$(pass memlith) memlith review reject mem_17_0a1b2c3d4e5f")]
pub struct ReviewArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List what waits, the oldest first.
    #[command(after_help = "Examples:\n  memlith review list --kind procedure --json")]
    List {
        /// Only what waits for this reason.
        #[arg(long, value_name = "KIND")]
        kind: Option<KindArg>,
    },
    /// Show what waits, with what it rests on and what would give way to it.
    #[command(after_help = "Examples:\n  memlith review show mem_17_0a1b2c3d4e5f")]
    Show {
        /// The memory: as `show` takes it.
        id: Target,
    },
    /// Propose a memory that was made of others; it waits for review.
    #[command(after_help = "Examples:\n  memlith review propose rule 'Deploy after the tests.' \
                            --rests-on mem_17_0a1b2c3d4e5f --as assistant")]
    Propose {
        /// Kind of the memory.
        kind: CandidateArg,
        /// The words.
        text: String,
        /// Records or memories that it rests on: it leaves and comes back with them.
        #[arg(long, value_name = "ID", num_args = 1.., required = true)]
        rests_on: Vec<Target>,
    },
    /// Offer what one session keeps to itself to all; it waits for review.
    #[command(after_help = "Examples:\n  memlith review offer mem_17_0a1b2c3d4e5f \
                            --scope session=worker-1 --as assistant:worker-1")]
    Offer {
        /// The memory: as `show` takes it.
        id: Target,
    },
    /// Take a memory in: it takes its place, and what held there ends.
    #[command(after_help = "Examples:\n  memlith review accept mem_17_0a1b2c3d4e5f --as reviewer")]
    Accept {
        /// The memory: as `show` takes it.
        id: Target,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// How it is compared with what is remembered.
        #[arg(long, value_enum, value_name = "HOW", default_value = "words")]
        reconcile: How,
    },
    /// Refuse memories, for good.
    #[command(
        after_help = "Examples:\n  memlith review reject mem_17_0a1b2c3d4e5f --reason 'a guess'"
    )]
    Reject(SeveralArgs),
    /// Put memories off: they go on waiting, and the log says so.
    #[command(
        after_help = "Examples:\n  memlith review defer mem_17_0a1b2c3d4e5f --reason 'ask Ana'"
    )]
    Defer(SeveralArgs),
    /// Raise items, as somebody with authority.
    #[command(after_help = "Examples:\n  memlith review promote mem_17_0a1b2c3d4e5f --weight 3")]
    Promote {
        /// The items: as `show` takes them.
        #[arg(value_name = "ID", required = true)]
        ids: Vec<Target>,
        /// A strength other than 2.0, from 1 to 10.
        #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = crate::weight::parse)]
        weight: Option<Weight>,
    },
    /// Open all that waits in an editor: keep to accept, reword, delete to reject.
    ///
    /// The editor is $VISUAL, else $EDITOR. Nothing is done before it has ended well and the
    /// whole page was understood; a page without a block does nothing. Other words are written
    /// as the reviewer's own, and rest on what the proposal rested on.
    #[command(after_help = "Examples:\n  VISUAL=vi memlith review edit --as reviewer")]
    Edit,
    /// Make the review token, which is kept outside of every ledger.
    ///
    /// It lies in the folder of the user's settings, for that user alone. Whoever has the
    /// token may review: give it to people and to what they trust, not to agents.
    #[command(after_help = "Examples:\n  memlith review token\n  memlith review token --renew")]
    Token {
        /// Put a new one in the place of one that exists.
        #[arg(long)]
        renew: bool,
    },
}

#[derive(Args, Debug)]
struct SeveralArgs {
    /// The memories: as `show` takes them.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<Target>,

    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Why something waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindArg {
    /// It comes from the text of a tool, a file or the web.
    Extracted,
    /// It would displace what its writer may not.
    TrustRule,
    /// Something that happened, made of records.
    Episode,
    /// Something that is so, made of other memories.
    Claim,
    /// How something is done.
    Procedure,
    /// Something that is always or never done.
    Rule,
}

/// Kinds of memories that can be proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CandidateArg {
    /// Something that happened, made of records.
    Episode,
    /// Something that is so, made of other memories.
    Claim,
    /// How something is done.
    Procedure,
    /// Something that is always or never done.
    Rule,
}

impl Verb for ReviewArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(self, context)
    }
}

fn run(args: ReviewArgs, context: &mut Context) -> Result<Exit> {
    match args.what {
        What::List { kind } => list(kind, context),
        What::Show { id } => show(id, context),
        What::Propose { kind, text, rests_on } => propose(kind, text, &rests_on, context),
        What::Offer { id } => offer(id, context),
        What::Accept { id, reason, reconcile } => {
            context.options.reconciler = reconcile.reconciler();
            judge(Judgement::Accept, &[id], reason, context)
        }
        What::Reject(args) => judge(Judgement::Reject, &args.ids, args.reason, context),
        What::Defer(args) => judge(Judgement::Defer, &args.ids, args.reason, context),
        What::Promote { ids, weight } => {
            crate::change::apply(Change::Promote { weight }, &ids, context)
        }
        What::Edit => edit::run(context),
        What::Token { renew } => token::run(renew, context),
    }
}

fn list(kind: Option<KindArg>, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let mut waiting = ledger.review().waiting(&context.caller())?;
    waiting.retain(|one| kind.is_none_or(|kind| kind.reason() == one.reason));
    let answer = ListJson::of(waiting);
    let text = answer.to_text();
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

fn show(id: Target, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = id.within(&ledger, &context.caller())?;
    let waiting = ledger.review().waiting(&context.caller())?;
    let found = one(&waiting, id)?;
    let answer = ShowJson::of(&ledger, &context.caller(), found)?;
    let text = answer.to_text();
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

fn propose(
    kind: CandidateArg,
    text: String,
    rests_on: &[Target],
    context: &mut Context,
) -> Result<Exit> {
    let ledger = context.open()?;
    let rests_on = Target::all_within(rests_on, &ledger, &context.caller())?;
    let remember = Remember { text, rests_on, ..Remember::default() };
    let written = ledger.review().propose(&context.caller(), kind.kind(), remember)?;
    // To wait is what was asked for.
    written::answer(&written, &[], &ledger, context)?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}

fn offer(id: Target, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let id = id.within(&ledger, &context.caller())?;
    let written = ledger.review().offer(&context.caller(), id)?;
    // To wait is what was asked for.
    written::answer(&written, &[], &ledger, context)?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}

fn judge(
    judgement: Judgement,
    targets: &[Target],
    reason: Option<String>,
    context: &mut Context,
) -> Result<Exit> {
    let ledger = context.open()?;
    let ids = Target::all_within(targets, &ledger, &context.caller())?;
    right::prove(&question(judgement, &ids, &ledger, context)?)?;
    let written = ledger.review().judge(&context.caller(), judgement, &ids, reason)?;
    let exit = written::answer(&written, &ids, &ledger, context)?;
    context.finish(ledger)?;
    Ok(exit)
}

/// Words of the question to a person at a terminal: the memories as they were written.
fn question(
    judgement: Judgement,
    ids: &[RecordId],
    ledger: &Ledger,
    context: &Context,
) -> Result<String> {
    let waiting = ledger.review().waiting(&context.caller())?;
    let shown: Vec<&Waiting> = waiting.iter().filter(|one| ids.contains(&one.item.id)).collect();
    let lines: Result<String> = shown
        .into_iter()
        .map(|one| ShowJson::of(ledger, &context.caller(), one))
        .try_fold(String::new(), |text, shown| Ok(text + &shown?.to_text()));
    Ok(format!("{}to be {} [y/N] ", lines?, judgement.participle()))
}

fn one(waiting: &[Waiting], id: RecordId) -> Result<&Waiting> {
    waiting
        .iter()
        .find(|one| one.item.id == id)
        .ok_or_else(|| crate::exit::refused(format!("{id} doesn't wait for review in this scope")))
}

impl KindArg {
    fn reason(self) -> PendingReason {
        match self {
            KindArg::Extracted => PendingReason::Extracted,
            KindArg::TrustRule => PendingReason::TrustRule,
            KindArg::Episode => PendingReason::Candidate(CandidateKind::Episode),
            KindArg::Claim => PendingReason::Candidate(CandidateKind::Claim),
            KindArg::Procedure => PendingReason::Candidate(CandidateKind::Procedure),
            KindArg::Rule => PendingReason::Candidate(CandidateKind::Rule),
        }
    }
}

impl CandidateArg {
    fn kind(self) -> CandidateKind {
        match self {
            CandidateArg::Episode => CandidateKind::Episode,
            CandidateArg::Claim => CandidateKind::Claim,
            CandidateArg::Procedure => CandidateKind::Procedure,
            CandidateArg::Rule => CandidateKind::Rule,
        }
    }
}

/// A look at memories that wait, or a proposal of one, by an agent. To accept and to reject is a
/// person's.
#[cfg(feature = "schema")]
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "do", deny_unknown_fields)]
pub enum LookAtReview {
    /// List what waits, the oldest first.
    List {},
    /// Show one with what it rests on and what would give way to it.
    Show {
        /// Its id.
        id: String,
    },
    /// Propose a memory that was made of others.
    Propose {
        /// episode, claim, procedure or rule.
        kind: String,
        /// The words.
        text: String,
        /// The memories or records it rests on.
        rests_on: Vec<String>,
    },
}

#[cfg(feature = "schema")]
impl Verb for LookAtReview {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let target = |id: &String| Target::of(id);
        match self {
            LookAtReview::List {} => list(None, context),
            LookAtReview::Show { id } => show(target(&id), context),
            LookAtReview::Propose { kind, text, rests_on } => {
                let kind = CandidateArg::from_str(&kind, false).map_err(crate::exit::usage)?;
                let rests_on: Vec<Target> = rests_on.iter().map(target).collect();
                if rests_on.is_empty() {
                    return Err(crate::exit::usage("`rests_on` names what it was made of"));
                }
                propose(kind, text, &rests_on, context)
            }
        }
    }
}
