//! A folder on the disk together with the ledger that it was rendered from.

use std::collections::BTreeSet;
use std::path::Path;

use memlith::log::decode;
use memlith::{AsOf, Caller, Change, Ledger, RecordId, Scope, Seq};
use serde::Serialize;

use crate::change::added_lines;
use crate::citation::citations;
use crate::error::Error;
use crate::ingest::without_tasks;
use crate::inputs::Inputs;
use crate::load::load;
use crate::manifest::{Manifest, digest};
use crate::page::{Folder, Ground, Page};
use crate::read::read;
use crate::render::render;
use crate::write::{check_root, edits};

/// The render that a folder's manifest tells of, done again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rendered {
    /// The manifest.
    pub manifest: Manifest,
    /// The inputs that were read of the ledger.
    pub inputs: Inputs,
    /// The folder. Where something was erased since, it isn't what lies on the disk:
    /// [`Manifest::is_of`] tells.
    pub folder: Folder,
}

/// The result of confirming the citations of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ConfirmedCitations {
    /// The answer without its blocks.
    pub visible: String,
    /// The sessions that it names.
    pub cited: Vec<String>,
    /// The memories that were confirmed.
    pub confirmed: Vec<RecordId>,
    /// Cited memories that no longer stand.
    pub passed_over: Vec<RecordId>,
}

/// The most lines of one citation.
const CITED_LINES: usize = 1_000;

/// Renders a folder again as its manifest says that it was, for the scope that it was for.
///
/// # Errors
/// [`Error::NotRendered`], [`Error::OtherLedger`], [`Error::Manifest`], [`Error::Ledger`],
/// [`Error::Io`].
pub fn rendered(dir: &Path, ledger: &Ledger, caller: &Caller) -> Result<Rendered, Error> {
    let manifest = Manifest::of(dir)?.ok_or_else(|| Error::NotRendered { path: dir.to_owned() })?;
    if manifest.ledger != ledger.id().to_string() {
        return Err(Error::OtherLedger { path: dir.to_owned(), ledger: manifest.ledger });
    }
    let config = manifest.config();
    let reader = Caller { scope: manifest.scope.scope(), ..caller.at(config.now) };
    let inputs = read(ledger, &reader, Some(AsOf::Seq(Seq(manifest.view))))?;
    let folder = render(&inputs, &config);
    Ok(Rendered { manifest, inputs, folder })
}

/// The result of keeping what was changed by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptEdits {
    /// The lines that were added, which are memories now.
    pub notes: Vec<String>,
    /// The lines that were taken out and are rendered again: the ledger still holds them.
    pub put_back: Vec<PutBack>,
}

/// A line that a render puts back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PutBack {
    /// The words of the line.
    pub text: String,
    /// The memories that it rests on.
    pub rests_on: Vec<String>,
}

/// Remembers, as the writer's, the lines that were added by hand to files of the folder.
///
/// A file that the ledger renders otherwise now is refused: what was forgotten since would be among
/// the lines that look new.
///
/// # Errors
/// [`Error::EditedByHand`] of such a file, and those of [`rendered`] and [`edits`].
pub fn keep_edits(dir: &Path, ledger: &Ledger, writer: &Caller) -> Result<KeptEdits, Error> {
    let edits = edits(dir)?;
    if edits.is_empty() {
        return Ok(KeptEdits::default());
    }
    let before = rendered(dir, ledger, writer)?;
    let mut kept = KeptEdits::default();
    for edit in edits {
        let page = before.folder.files.get(&edit.path);
        let page = page.filter(|_| before.manifest.is_of(&before.folder, &edit.path));
        let Some(page) = page else { return Err(Error::EditedByHand { paths: vec![edit.path] }) };
        for line in added_lines(page.text(), &edit.text) {
            let note = without_tasks(&line).to_owned();
            if !note.is_empty() && !kept.notes.contains(&note) {
                kept.notes.push(note);
            }
        }
        kept.put_back.extend(put_back(page, &edit.text));
    }
    for note in &kept.notes {
        // One that waits for review is kept as well.
        let _ = ledger.remember(writer, note.as_str())?;
    }
    Ok(kept)
}

/// The lines of a page that rest on memories and stand no more in `edited`.
fn put_back(page: &Page, edited: &str) -> Vec<PutBack> {
    let left: BTreeSet<&str> = edited.lines().map(str::trim).collect();
    let gone = (1..).zip(page.text().lines()).filter(|(_, line)| !left.contains(line.trim()));
    let lines = gone.map(|(number, line)| PutBack {
        text: without_tasks(line.trim_start_matches(['-', ' ']).trim_end()).to_owned(),
        rests_on: page
            .grounds(number)
            .iter()
            .filter_map(Ground::memory)
            .map(str::to_owned)
            .collect(),
    });
    lines.filter(|line| !line.rests_on.is_empty()).collect()
}

/// Where an agent leaves a note when its person asks it to remember something.
const NOTES: &str = "extensions/ad_hoc/notes";

/// The most notes that are taken in, and the most bytes of one.
const NOTES_MAX: usize = 1_000;
const NOTE_BYTES: usize = 16 << 10;

/// Remembers, as the caller's, the notes that agents left in a folder; returns those that are new.
///
/// A note is taken in once, and what was forgotten or declared wrong of them stays away. The files
/// stay.
///
/// # Errors
/// [`Error::SymbolicLink`], [`Error::TooMuch`], [`Error::Io`], and the ledger's.
pub fn take_notes(dir: &Path, ledger: &Ledger, caller: &Caller) -> Result<Vec<String>, Error> {
    let folder = dir.join(NOTES);
    for above in [dir, &dir.join("extensions"), &dir.join("extensions/ad_hoc"), &folder] {
        check_root(above)?;
    }
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let files = load(&folder)?;
    if files.len() > NOTES_MAX {
        return Err(Error::TooMuch { path: folder, max: NOTES_MAX, of: "notes" });
    }
    let mut taken = Vec::new();
    for (name, text) in &files {
        let text = text.trim();
        if text.len() > NOTE_BYTES {
            return Err(Error::TooMuch { path: folder.join(name), max: NOTE_BYTES, of: "bytes" });
        }
        if text.is_empty() {
            continue;
        }
        let before = ledger.refresh()?.seq;
        let caller = caller.keyed(&format!("folder note {name} {}", digest(text.as_bytes())));
        match ledger.remember_new(&caller, text) {
            Ok(written) if written.id.seq > before => taken.push(text.to_owned()),
            Ok(_) | Err(memlith::Error::Rejected(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(taken)
}

/// Confirms what an answer cites of a folder: the memories of the cited lines, or of the named
/// sessions where no line is cited. The same answer confirms nothing twice.
///
/// # Errors
/// Those of [`rendered`], and the ledger's.
pub fn confirm_cited(
    dir: &Path,
    ledger: &Ledger,
    caller: &Caller,
    answer: &str,
) -> Result<ConfirmedCitations, Error> {
    let found = citations(answer);
    let Rendered { manifest, inputs, folder } = rendered(dir, ledger, caller)?;
    let mut ids = BTreeSet::new();
    for entry in &found.entries {
        let Some(page) = folder.files.get(&entry.path) else { continue };
        for line in (entry.first..=entry.last).take(CITED_LINES) {
            ids.extend(page.grounds(line).iter().filter_map(Ground::memory));
        }
    }
    if found.entries.is_empty() {
        let is_cited = |id: &String| found.threads.contains(id);
        let supported = inputs.statements.iter().filter(|one| one.threads.iter().any(is_cited));
        ids.extend(supported.map(|one| one.id.as_str()));
    }
    // The words of an answer name it.
    let key = format!("folder cite {}", digest(answer.as_bytes()));
    let mut confirmed = ConfirmedCitations::default();
    for id in ids.into_iter().filter_map(|id| id.parse::<RecordId>().ok()) {
        let Some(scope) = scope_of(ledger, (caller, &manifest), id)? else {
            confirmed.passed_over.push(id);
            continue;
        };
        let caller = Caller { scope, ..caller.keyed(&format!("{key} {id}")) };
        match ledger.change(&caller, Change::confirm(), [id]) {
            Ok(_) => confirmed.confirmed.push(id),
            // It was superseded, withdrawn or erased since the folder was rendered.
            Err(memlith::Error::Rejected(_)) => confirmed.passed_over.push(id),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(ConfirmedCitations { visible: found.visible, cited: found.threads, ..confirmed })
}

/// The scope of a memory of the folder, which is where a confirmation of it belongs; `None` if it
/// was erased or isn't there.
fn scope_of(
    ledger: &Ledger,
    (caller, manifest): (&Caller, &Manifest),
    id: RecordId,
) -> Result<Option<Scope<'static>>, Error> {
    let reader = Caller { scope: manifest.scope.scope(), ..caller.clone() };
    let shown = match ledger.show(&reader, id) {
        Err(memlith::Error::NoRecord { .. }) => return Ok(None),
        shown => shown?,
    };
    let body = decode(&shown.record)?;
    let scope = body.map(|body| body.envelope.scope.into_owned());
    Ok(scope.map(|scope| Scope { session: None, session_only: false, ..scope }))
}
