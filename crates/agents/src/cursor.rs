use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use memlith::LedgerId;
use memlith::transfer::Resume;
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::state_folder::StateFolder;

/// How far a transcript has been captured.
///
/// It may be lost, or be older than the ledger: what is read again is known by its names.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cursor {
    client: String,
    pub(crate) transcript: PathBuf,
    /// What its session is about, where that is said.
    pub(crate) subject: Option<String>,
    /// The project by its name.
    pub(crate) project: String,
    /// The ledger that it goes to.
    pub(crate) ledger: PathBuf,
    /// Where to read on, and what stood there.
    resume: Option<(Resume, String)>,
    /// Whether there is more to capture than was captured.
    pub(crate) is_behind: bool,
}

/// So many bytes at the place are compared with what stood there.
const MARK_LEN: u64 = 256;

const FOLDER: &str = "cursors";

impl Cursor {
    /// The cursor of a transcript; at its beginning where none is kept.
    pub(crate) fn load(state: &StateFolder, new: Cursor, id: LedgerId) -> Cursor {
        let kept: Option<Cursor> = Cursor::read(state, &new.name(id));
        let kept =
            kept.filter(|kept| kept.transcript == new.transcript && kept.subject == new.subject);
        Cursor { resume: kept.and_then(|kept| kept.resume), ..new }
    }

    /// A cursor at the beginning of a transcript.
    pub(crate) fn new(
        client: Client,
        transcript: &Path,
        (project, subject): (&str, Option<&str>),
        ledger: &Path,
    ) -> Cursor {
        Cursor {
            client: client.name().to_owned(),
            transcript: transcript.to_owned(),
            subject: subject.map(str::to_owned),
            project: project.to_owned(),
            ledger: ledger.to_owned(),
            resume: None,
            is_behind: true,
        }
    }

    /// The cursors whose transcripts hold more than was captured.
    pub(crate) fn behind(state: &StateFolder) -> Vec<Cursor> {
        let all = state.names(FOLDER).into_iter().filter_map(|name| Cursor::read(state, &name));
        all.filter(|cursor| cursor.is_behind).collect()
    }

    pub(crate) fn client(&self) -> Option<Client> {
        self.client.parse().ok()
    }

    pub(crate) fn save(&self, state: &StateFolder, id: LedgerId) -> io::Result<()> {
        state.write(&self.name(id), &serde_json::to_vec(self)?)
    }

    /// Opens the transcript where it was read to, or at its beginning where that is not
    /// what it was: another file came in its place, or it was cut.
    ///
    /// # Errors
    /// It can't be opened, or is no regular file.
    pub(crate) fn open(&self) -> io::Result<(File, Option<Resume>, u64)> {
        // Opening a pipe would wait for its writer.
        if !std::fs::metadata(&self.transcript)?.is_file() {
            return Err(io::Error::other("the transcript is no regular file"));
        }
        let mut file = File::open(&self.transcript)?;
        let len = file.metadata()?.len();
        if let Some((resume, mark)) = &self.resume
            && self.mark_at(&mut file, resume.offset())? == *mark
        {
            file.seek(SeekFrom::Start(resume.offset()))?;
            return Ok((file, Some(resume.clone()), len.saturating_sub(resume.offset())));
        }
        file.seek(SeekFrom::Start(0))?;
        Ok((file, None, len))
    }

    /// The cursor behind what was read.
    ///
    /// # Errors
    /// The transcript can't be read.
    pub(crate) fn moved_to(&self, resume: Option<Resume>) -> io::Result<Cursor> {
        let resume = match resume {
            None => None,
            Some(resume) => {
                let mut file = File::open(&self.transcript)?;
                let mark = self.mark_at(&mut file, resume.offset())?;
                Some((resume, mark))
            }
        };
        Ok(Cursor { resume, is_behind: false, ..self.clone() })
    }

    fn mark_at(&self, file: &mut File, offset: u64) -> io::Result<String> {
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(MARK_LEN).read_to_end(&mut bytes)?;
        Ok(blake3::hash(&bytes).to_hex().to_string())
    }

    fn read(state: &StateFolder, name: &str) -> Option<Cursor> {
        serde_json::from_slice(&state.read(name)?).ok()
    }

    /// The file of the cursor: a hash, as a session's name may hold anything.
    fn name(&self, id: LedgerId) -> String {
        let whole = format!("{id}\n{}", self.transcript.display());
        let hash = blake3::hash(whole.as_bytes()).to_hex();
        format!("{FOLDER}/{}.json", hash.get(..32).unwrap_or_default())
    }
}
