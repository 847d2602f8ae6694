use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use memlith::copy::{InputEnd, Resume};
use memlith::{LedgerId, Scope};
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::state_folder::StateFolder;

/// How far a transcript has been captured.
///
/// It may be lost, or be older than the ledger: what is read again is known by its names.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bookmark {
    pub(crate) transcript: PathBuf,
    /// The folder of the ledger that it goes to.
    pub(crate) ledger: PathBuf,
    client: String,
    /// The project of its session.
    pub(crate) project: String,
    /// The subject of its session, where that is said.
    subject: Option<String>,
    /// The session's name, where a hook told it.
    #[serde(default)]
    pub(crate) session: String,
    /// Whether the client said that the session is over.
    is_over: bool,
    /// Whether there is more to capture than was captured.
    is_behind: bool,
    place: Option<Place>,
}

/// Where to read on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Place {
    resume: Resume,
    /// The hash of what stood there: another file may have come in its stead.
    mark: String,
    /// The ledger that has what stands before it: another one may have come in its folder.
    captured_in: String,
}

/// Number of bytes at the place that are compared with those that stood there.
const MARK_LEN: u64 = 256;

const FOLDER: &str = "bookmarks";

impl Bookmark {
    /// The bookmark of a transcript, as it is kept or at its beginning, of which there is more
    /// to capture.
    pub(crate) fn of(
        state: &StateFolder,
        client: Client,
        (transcript, ledger): (&Path, &Path),
        (project, scope, session): (&str, &Scope<'_>, &str),
    ) -> Bookmark {
        let mut new = Bookmark {
            transcript: transcript.to_owned(),
            ledger: ledger.to_owned(),
            client: client.name().to_owned(),
            project: project.to_owned(),
            subject: scope.subject.as_deref().map(str::to_owned),
            session: session.to_owned(),
            is_over: false,
            is_behind: true,
            place: None,
        };
        if let Some(kept) = Bookmark::read(state, &new.name())
            && kept.transcript == new.transcript
            && kept.subject == new.subject
        {
            new.place = kept.place;
        }
        new
    }

    /// The bookmarks whose transcripts hold more than was captured. Those whose transcript is
    /// gone are taken away: there is nothing to capture any more.
    pub(crate) fn behind(state: &StateFolder) -> Vec<Bookmark> {
        let all = state.names(FOLDER).into_iter().filter_map(|name| Bookmark::read(state, &name));
        let (there, gone): (Vec<_>, Vec<_>) =
            all.filter(|bookmark| bookmark.is_behind).partition(|one| one.transcript.exists());
        gone.into_iter().for_each(|bookmark| state.remove(&bookmark.name()));
        there
    }

    /// The bookmark of a session of which the client said that it is over.
    pub(crate) fn at_the_end(self) -> Bookmark {
        Bookmark { is_over: true, ..self }
    }

    pub(crate) fn client_name(&self) -> &str {
        &self.client
    }

    pub(crate) fn client(&self) -> Option<Client> {
        self.client.parse().ok()
    }

    pub(crate) fn scope(&self) -> Scope<'static> {
        Scope { subject: self.subject.clone().map(Into::into), ..Scope::tenant("default") }
    }

    /// The meaning of the transcript's end for one who reads it while its client is at work.
    pub(crate) fn end(&self) -> InputEnd {
        if self.is_over { InputEnd::Over } else { InputEnd::Growing }
    }

    pub(crate) fn save(&self, state: &StateFolder) -> io::Result<()> {
        state.write(&self.name(), &serde_json::to_vec(self)?)
    }

    /// Opens the transcript where it was read to, or at its beginning where that is not
    /// what it was: another file came in its place, or it was cut. With the length of the rest.
    ///
    /// # Errors
    /// It can't be opened, or is no regular file.
    pub(crate) fn open(&self, ledger: LedgerId) -> io::Result<(File, Option<Resume>, u64)> {
        // Opening a pipe would wait for its writer.
        if !std::fs::metadata(&self.transcript)?.is_file() {
            return Err(io::Error::other("the transcript is no regular file"));
        }
        let mut file = File::open(&self.transcript)?;
        let len = file.metadata()?.len();
        let place = self.place.as_ref().filter(|place| place.captured_in == ledger.to_string());
        if let Some(Place { resume, mark, .. }) = place
            && mark_at(&mut file, resume.offset())? == *mark
        {
            file.seek(SeekFrom::Start(resume.offset()))?;
            return Ok((file, Some(resume.clone()), len.saturating_sub(resume.offset())));
        }
        file.seek(SeekFrom::Start(0))?;
        Ok((file, None, len))
    }

    /// Notes that everything was captured, and where to read on. Of a session that is over
    /// nothing is kept: one that is resumed is read from its beginning.
    ///
    /// # Errors
    /// The transcript can't be read, or the bookmark not be written.
    pub(crate) fn done(
        self,
        resume: Option<Resume>,
        ledger: LedgerId,
        state: &StateFolder,
    ) -> io::Result<()> {
        if self.is_over {
            state.remove(&self.name());
            return Ok(());
        }
        let place = match resume {
            None => None,
            Some(resume) => {
                let mark = mark_at(&mut File::open(&self.transcript)?, resume.offset())?;
                Some(Place { resume, mark, captured_in: ledger.to_string() })
            }
        };
        Bookmark { place, is_behind: false, ..self }.save(state)
    }

    fn read(state: &StateFolder, name: &str) -> Option<Bookmark> {
        serde_json::from_slice(&state.read(name)?).ok()
    }

    /// The file of the bookmark: a hash, as a path may hold anything.
    fn name(&self) -> String {
        let whole = format!("{}\n{}", self.ledger.display(), self.transcript.display());
        let hash = blake3::hash(whole.as_bytes()).to_hex();
        format!("{FOLDER}/{}.json", hash.get(..32).unwrap_or_default())
    }
}

fn mark_at(file: &mut File, offset: u64) -> io::Result<String> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(MARK_LEN).read_to_end(&mut bytes)?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}
