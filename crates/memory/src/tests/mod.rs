//! Histories played through the door and the fold.

mod acceptances;
mod bench;
mod corrections;
mod denials;
mod laws;
mod laws_of_likeness;
mod likeness;
mod outcomes;
mod procedures;
mod reviews;
mod rollbacks;
mod slots;
mod statuses;
mod summaries;
mod trust;
