use crate::{Bytes, CheckpointError};

/// One named run of bytes of a checkpoint.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name: at most 16 bytes of ASCII, unique in the checkpoint.
    pub name: &'static str,
    /// What it holds.
    pub bytes: Bytes,
}

/// The sections of a whole state, in the order its tables were saved.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    named: Vec<(String, Bytes)>,
}

impl Sections {
    /// Appends `section`.
    pub fn push(&mut self, section: Section) {
        self.named.push((section.name.to_owned(), section.bytes));
    }

    /// Removes and returns the section called `name`.
    ///
    /// # Errors
    /// [`CheckpointError::SectionMissing`] where there is none.
    pub fn take(&mut self, name: &'static str) -> Result<Bytes, CheckpointError> {
        let position = self.named.iter().position(|(found, _)| found == name);
        position
            .map(|position| self.named.remove(position).1)
            .ok_or(CheckpointError::SectionMissing { name })
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

    pub(crate) fn push_read(&mut self, name: String, bytes: Bytes) {
        self.named.push((name, bytes));
    }
}

/// What [`crate::Table`] and [`crate::Lists`] have in common: they can be saved,
/// loaded, and read row by row.
pub trait Tabular {
    /// Appends the sections that hold every row.
    fn save(&self, out: &mut Sections);

    /// Takes its sections as the new base and drops the overlay.
    ///
    /// # Errors
    /// A section that is missing, of broken length, or out of order.
    fn load(&mut self, sections: &mut Sections) -> Result<(), CheckpointError>;

    /// Visits every row in key order: the table's name and the row's bytes.
    fn each_row(&self, visit: &mut dyn FnMut(&'static str, &[u8]));

    /// Folds the overlay into a new base. Changes no answer.
    fn rebase(&mut self);
}
