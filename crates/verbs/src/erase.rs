use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::write::Rejection;
use memlith::{Ledger, Rank, RecordId, Seq, forget::ErasureFilter};
use serde::Serialize;

use crate::certificate::Prepared;
use crate::context::Context;
use crate::exit::{self, Exit};
use crate::instant::Before;
use crate::out_file::{Force, OutFile};
use crate::plain::plain;
use crate::target::Target;
use crate::verb::Verb;

/// Erase the words of items for good, with everything that rests on them.
///
/// Items are named by id, and what repeats their words or cites them goes too: the turn that a
/// memory was lifted from, with all that was lifted from it. Or all those are taken that fit
/// --scope, --session, --entity, --mentions and --before, of every tenant unless --scope names one.
/// What says something of them alone goes with them: reasons, outcomes, questions. That something
/// was there, when, and its hash remain, and so does the chain. What
/// was erased stays erased: no import brings it back, until its
/// tombstone is lifted (`maintain tombstones`). Copies elsewhere, snapshots and freed disk blocks are not reached.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith erase mem_17_0a1b2c3d4e5f --as owner
  memlith erase mem_17_0a1b2c3d4e5f --as owner:ana --yes --json
  memlith erase --session 4f0c --as owner --dry-run
  memlith erase --mentions \"Lena Vogt\" --as owner --yes --certificate lena.erased
  memlith erase --mentions \"Harrow Mills\" --as owner --dry-run
  memlith erase --scope subject=shop --before 2026-01-01 --as owner --yes
  memlith erase --scope subject=shop --before 365d --as owner --yes   # each night, by a timer")]
pub struct EraseArgs {
    /// The items: ids or citations.
    #[arg(value_name = "ID")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    ids: Vec<Target>,

    /// All that has these words in it, one behind the other.
    #[arg(long, value_name = "WORDS", conflicts_with = "ids")]
    #[cfg_attr(feature = "schema", serde(skip))]
    mentions: Option<String>,

    /// All of the session of this name.
    #[arg(long, value_name = "NAME", conflicts_with = "ids")]
    #[cfg_attr(feature = "schema", serde(skip))]
    session: Option<String>,

    /// All memories whose slot is about this entity.
    #[arg(long, value_name = "NAME", conflicts_with = "ids")]
    #[cfg_attr(feature = "schema", serde(skip))]
    entity: Option<String>,

    /// All that happened before this instant, or is older than so many days: `365d`.
    #[arg(long, value_name = "TIME|DAYS", value_parser = crate::instant::parse_before,
        conflicts_with = "ids")]
    #[cfg_attr(feature = "schema", serde(skip))]
    before: Option<Before>,

    /// Write a signed statement of the erasure into this file: what was erased, when, by whom,
    /// that no line of its texts stands in the ledger's files, and that older heads still hold.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    #[cfg_attr(feature = "schema", serde(skip))]
    certificate: Option<PathBuf>,

    /// Say what would be erased, and erase nothing.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(default))]
    dry_run: bool,

    /// Don't ask.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(skip))]
    yes: bool,
}

#[derive(Serialize)]
struct Answer {
    id: Option<RecordId>,
    seq: Option<Seq>,
    erased: Vec<RecordId>,
    /// Number of records that other machines are asked to erase.
    asked: usize,
    dry_run: bool,
}

/// Records of copies beside the ledger, by copy.
type Elsewhere = Vec<(Ledger, Vec<RecordId>)>;

/// Records to be erased: those named, or those that fit a filter.
enum Wanted {
    Items(Vec<RecordId>, Elsewhere),
    Matching(ErasureFilter),
}

impl Verb for EraseArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &EraseArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let wanted = args.wanted(&ledger, context)?;
    let records = wanted.records(&ledger, context)?;
    let elsewhere = wanted.elsewhere(&ledger, context)?;
    let others: usize = elsewhere.iter().map(|(_, ids)| ids.len()).sum();
    if records.is_empty() && others > 0 {
        return ask_others(args, (&ledger, &elsewhere), context);
    }
    if records.is_empty() && matches!(wanted, Wanted::Matching(_)) {
        context.note("nothing fits, so nothing was erased");
        let (id, seq, asked, dry_run) = (None, None, 0, args.dry_run);
        let answer = Answer { id, seq, erased: records, asked, dry_run };
        context.answer(&answer, "erased 0 records")?;
        return Ok(Exit::Findings);
    }
    if args.dry_run {
        let text = preview(&records, &ledger)?;
        let count = records.len();
        let (id, seq, asked, dry_run) = (None, None, others, true);
        let answer = Answer { id, seq, erased: records, asked, dry_run };
        context.answer(&answer, format!("{text}would erase {count} records"))?;
        if others > 0 {
            context.note(format_args!("would ask other machines to erase {others} records"));
        }
        return Ok(Exit::Ok);
    }
    // Nobody sits at a server's terminal: its starter let clients erase.
    let is_meant = args.yes || context.is_for_a_model();
    if !is_meant && !confirmed(&records, &ledger)? {
        context.note("nothing was erased");
        return Ok(Exit::Findings);
    }
    // All that may fail does so before the words are gone.
    let caller = context.caller();
    let file = args.certificate.as_ref().map(|path| OutFile::create(path, Force::default()));
    let file = file.transpose()?;
    let prepared = file.as_ref().map(|_| Prepared::of(&ledger, &caller.name, &records));
    let prepared = prepared.transpose()?;
    let erased = wanted.erase(&ledger, context)?;
    let certified = prepared.map(|prepared| {
        let dir = context.ledger_dir()?;
        prepared.certify((&dir, &ledger), &caller.name, &erased)
    });
    let answer = Answer {
        id: Some(erased.erasure),
        seq: Some(erased.erasure.seq),
        erased: erased.records,
        asked: others,
        dry_run: false,
    };
    let text = format!("erased {} records by {}", answer.erased.len(), erased.erasure);
    context.answer(&answer, text)?;
    context.note(
        "copies, backups and snapshots of the folder still hold what was erased, and so do a \
         client's own transcripts, a rendered folder and the stores it was delivered to",
    );
    ask(&ledger, &elsewhere, context)?;
    let mut exit = Exit::Ok;
    if let (Some(certified), Some(mut file)) = (certified, file) {
        let (certificate, files) = certified?;
        file.write_all(certificate.to_string().as_bytes())?;
        file.finish()?;
        if !files.is_empty() {
            context
                .note(format_args!("words that were erased still stand in {}", files.join(", ")));
            exit = Exit::Findings;
        }
    }
    context.finish(ledger)?;
    Ok(exit)
}

/// Asks other machines alone: this one has nothing that fits.
fn ask_others(
    args: &EraseArgs,
    (ledger, elsewhere): (&Ledger, &Elsewhere),
    context: &mut Context,
) -> Result<Exit> {
    let (id, seq, erased, dry_run) = (None, None, Vec::new(), args.dry_run);
    let asked = elsewhere.iter().map(|(_, ids)| ids.len()).sum();
    let answer = Answer { id, seq, erased, asked, dry_run };
    if args.dry_run {
        context.answer(&answer, format!("would ask other machines to erase {asked} records"))?;
        return Ok(Exit::Ok);
    }
    // Who may not is told so before anything else.
    let found = context.caller().rank;
    let id = elsewhere.iter().find_map(|(_, ids)| ids.first().copied());
    if let Some(id) = id.filter(|_| found < Rank::Owner) {
        let needed = Rank::Owner.level();
        return Err(memlith::Error::from(Rejection::Rank { id, needed, found }).into());
    }
    if !args.yes && !context.is_for_a_model() {
        return Err(exit::usage(
            "what fits is on other machines, and they can't take an erasure back: look with \
             --dry-run, then say --yes",
        ));
    }
    ask(ledger, elsewhere, context)?;
    context.answer(&answer, "erased 0 records here")?;
    Ok(Exit::Ok)
}

/// Asks the machines whose copies hold something to erase it.
fn ask(ledger: &Ledger, elsewhere: &Elsewhere, context: &Context) -> Result<()> {
    let mut count = 0;
    for (copy, ids) in elsewhere {
        ledger.erasure().ask_elsewhere(&context.caller(), (copy, ids))?;
        count += ids.len();
    }
    if count > 0 {
        context.note(format_args!(
            "{count} records of other machines fit too: they are out of sight here now, and those \
             machines erase them when they sync; until this one has synced after them, the copies \
             here still hold the words"
        ));
    }
    if !ledger.beside().is_empty() {
        context.note(
            "what another machine wrote and has not put on a place yet was not looked at: erase \
             again when `memlith sync status` shows it newer",
        );
    }
    Ok(())
}

impl EraseArgs {
    fn wanted(&self, ledger: &Ledger, context: &Context) -> Result<Wanted> {
        if !self.ids.is_empty() {
            let (ids, held) = crate::elsewhere::apart(&self.ids, ledger, &context.caller())?;
            let own = std::iter::once((ledger.clone(), ids));
            let mut named: Vec<(Ledger, Vec<RecordId>)> = own.collect();
            for (holder, id) in held {
                match named.iter_mut().find(|(one, _)| one.id() == holder.id()) {
                    Some((_, ids)) => ids.push(id),
                    None => named.push((holder, vec![id])),
                }
            }
            named.retain(|(_, ids)| !ids.is_empty());
            let mut elsewhere = Elsewhere::new();
            for one in ledger.beside().into_iter().chain([ledger.clone()]) {
                let mut ids = BTreeSet::new();
                for (holder, named) in &named {
                    ids.extend(named.iter().filter(|_| holder.id() == one.id()));
                    ids.extend(one.erasure().echoes(holder, named)?);
                }
                elsewhere.push((one, ids.into_iter().collect()));
            }
            let ids = elsewhere.pop().map(|(_, ids)| ids).unwrap_or_default();
            elsewhere.retain(|(_, ids)| !ids.is_empty());
            return Ok(Wanted::Items(ids, elsewhere));
        }
        let filtered = self.session.is_some()
            || self.entity.is_some()
            || self.mentions.is_some()
            || self.before.is_some();
        if !(filtered || context.is_scoped) {
            return Err(exit::usage(
                "say what to erase: ids, or --scope, --session, --entity, --mentions or --before",
            ));
        }
        Ok(Wanted::Matching(ErasureFilter {
            scope: context.is_scoped.then(|| context.scope.0.clone()),
            session: self.session.clone(),
            entity: self.entity.clone(),
            mentions: self.mentions.clone(),
            before: self
                .before
                .map(|before| before.at(context.now.unwrap_or_else(|| ledger.now()))),
        }))
    }
}

impl Wanted {
    fn records(&self, ledger: &Ledger, context: &Context) -> Result<Vec<RecordId>> {
        let caller = context.caller();
        Ok(match self {
            Wanted::Items(ids, _) if ids.is_empty() => Vec::new(),
            Wanted::Items(ids, _) => ledger.erasure().would_erase(&caller, ids)?,
            Wanted::Matching(filter) => ledger.erasure().would_erase_matching(&caller, filter)?,
        })
    }

    /// Records of other machines that it names or takes.
    fn elsewhere(&self, ledger: &Ledger, context: &Context) -> Result<Elsewhere> {
        let filter = match self {
            Wanted::Items(_, elsewhere) => return Ok(elsewhere.clone()),
            Wanted::Matching(filter) => filter,
        };
        let caller = context.caller();
        let mut elsewhere = Elsewhere::new();
        for copy in ledger.beside() {
            let ids = copy.erasure().would_erase_matching(&caller, filter)?;
            if !ids.is_empty() {
                elsewhere.push((copy, ids));
            }
        }
        Ok(elsewhere)
    }

    fn erase(&self, ledger: &Ledger, context: &Context) -> Result<memlith::forget::Erased> {
        let caller = context.caller();
        match self {
            Wanted::Items(ids, _) => Ok(ledger.erasure().erase(&caller, ids)?),
            Wanted::Matching(filter) => ledger
                .erasure()
                .erase_matching(&caller, filter)?
                .context("somebody else erased all of it meanwhile"),
        }
    }
}

/// How many records are shown by their words.
const SHOWN: usize = 20;

/// Previews what would be erased, by the first words of each.
fn preview(records: &[RecordId], ledger: &Ledger) -> Result<String> {
    let mut out = String::new();
    for id in records.iter().take(SHOWN) {
        let record = ledger.records(id.seq, Some(1))?.next().transpose()?;
        let body = record.as_ref().map(memlith::log::decode).transpose()?.flatten();
        let kind = body.as_ref().map_or("", |body| body.event.kind().name());
        let words = body.as_ref().and_then(|body| body.event.item_text());
        let words = words.map(|text| plain(&text, 80)).unwrap_or_default();
        out.push_str(&format!("{id}  {kind}  {words}\n"));
    }
    if let Some(more) = records.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        out.push_str(&format!("and {more} more\n"));
    }
    Ok(out)
}

/// Shows what would be erased and asks whether it may.
fn confirmed(records: &[RecordId], ledger: &Ledger) -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Err(exit::usage(format!(
            "an erasure of {} records can't be undone: look with --dry-run, then say --yes, or \
             run it at a terminal",
            records.len()
        )));
    }
    anstream::eprint!("{}", preview(records, ledger)?);
    let count = records.len();
    anstream::eprint!("Erase these {count} records and all they say, for good? Type yes: ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("read the answer")?;
    Ok(answer.trim() == "yes")
}
