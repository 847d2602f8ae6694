use std::path::PathBuf;

use memlith::prove::Level;
use pyo3::prelude::*;

use crate::{answers, error};

/// Functions and classes of `memlith._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::verify;
    #[pymodule_export]
    use crate::error::{Closed, Damaged, MemlithError, Refused, Unusable, Wrong};
    #[pymodule_export]
    use crate::memory::Memory;

    /// A ledger that several nodes write is written through its shared log here too.
    #[pymodule_init]
    fn init(_module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        memlith_sync::serve_shared();
        Ok(())
    }
}

/// Checks the ledger in a folder; changes no byte.
#[pyfunction]
fn verify(py: Python<'_>, path: PathBuf, full: bool) -> PyResult<String> {
    let level = if full { Level::Full } else { Level::Sealed };
    let report = py.detach(|| memlith::verify(path, level)).map_err(error::of)?;
    Ok(answers::report(&report).to_string())
}
