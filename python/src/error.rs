use memlith::ErrorKind;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    memlith,
    MemlithError,
    PyException,
    "An error of Memlith; its subclasses say what it calls for."
);
create_exception!(
    memlith,
    Refused,
    MemlithError,
    "The ledger is well and refuses the call: see the text."
);
create_exception!(memlith, Wrong, MemlithError, "The call is wrong: mend the program.");
create_exception!(
    memlith,
    Damaged,
    MemlithError,
    "Bytes of the ledger are wrong: stop, and verify."
);
create_exception!(
    memlith,
    Unusable,
    MemlithError,
    "The disk or another program is in the way: mend it, and try again."
);
create_exception!(
    memlith,
    Closed,
    MemlithError,
    "The ledger was closed here, or opened before a fork."
);

/// The exception for an error of the engine.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(crate) fn of(error: memlith::Error) -> PyErr {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::Refused => Refused::new_err(text),
        ErrorKind::Usage => Wrong::new_err(text),
        ErrorKind::Integrity => Damaged::new_err(text),
        ErrorKind::Io => Unusable::new_err(text),
    }
}

/// The exception for a value that can't be taken.
pub(crate) fn wrong(text: impl Into<String>) -> PyErr {
    Wrong::new_err(text.into())
}
