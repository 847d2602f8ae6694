use std::error::Error;
use std::path::Path;

/// Operations of a store that a campaign needs; every write is durable when it returns.
pub trait Store: Sized {
    /// Error of an operation.
    type Error: Error;

    /// Opens or makes the store in a folder that exists.
    fn open(folder: &Path) -> Result<Self, Self::Error>;
    /// Writes a text and its mark.
    fn put(&mut self, step: u64, text: &str, is_valid: bool) -> Result<(), Self::Error>;
    /// Deletes a text.
    fn delete(&mut self, step: u64) -> Result<(), Self::Error>;
    /// Reads a text and its mark.
    fn get(&self, step: u64) -> Result<Option<(String, bool)>, Self::Error>;
    /// The greatest step that was ever written and not deleted.
    fn last(&self) -> Result<Option<u64>, Self::Error>;
    /// Returns the fault that the store reports of itself, if it finds anything wrong.
    fn check(&mut self) -> Result<Option<String>, Self::Error>;
}
