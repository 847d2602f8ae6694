use crate::{Bytes, CheckpointError};

/// The named bytes of a run, in the order its tables were saved.
///
/// Empty ones are left out: what is absent is empty.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    named: Vec<(String, Bytes)>,
}

impl Sections {
    /// Appends a section: `name` is at most 16 bytes of ASCII, unique in the run.
    pub fn push(&mut self, name: &str, bytes: impl Into<Bytes>) {
        let bytes = bytes.into();
        if !bytes.is_empty() {
            self.named.push((name.to_owned(), bytes));
        }
    }

    /// Removes and returns the section called `name`; empty where there is none.
    pub fn take(&mut self, name: &str) -> Bytes {
        let position = self.named.iter().position(|(found, _)| found == name);
        position.map_or_else(Bytes::default, |position| self.named.remove(position).1)
    }

    /// Succeeds when every section has been taken.
    ///
    /// # Errors
    /// [`CheckpointError::SectionUnknown`] names the first that is left.
    pub fn finish(self) -> Result<(), CheckpointError> {
        match self.named.into_iter().next() {
            Some((name, _)) => Err(CheckpointError::SectionUnknown { name }),
            None => Ok(()),
        }
    }

    /// Names and bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.named.iter().map(|(name, bytes)| (name.as_str(), bytes))
    }
}
