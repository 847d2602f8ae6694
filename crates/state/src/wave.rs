use std::sync::Arc;

use crate::chunks::Chunks;

/// Chunks of which it was said that they are read soon, in the order in which they will be.
///
/// Whoever said so goes on and checks each when it comes to it, and a second thread checks
/// them from the other end. Where both meet nothing is left to do; neither waits for the other.
/// What the second thread finds damaged counts only for one who reads it.
#[derive(Default)]
pub(crate) struct Wave(Vec<(Arc<Chunks>, usize)>);

/// A thread is started for no fewer chunks: it costs as much as checking ten or so.
///
/// Source: ADR 0027.
const PAYS: usize = 24;

impl Wave {
    pub(crate) fn add(&mut self, chunks: &Arc<Chunks>, chunk: usize) {
        self.0.push((chunks.clone(), chunk));
    }

    /// Lets the chunks be checked from the last one on, if there are enough.
    pub(crate) fn begin(self) {
        if self.0.len() >= PAYS {
            memlith_threads::aside(move || self.check());
        }
    }

    /// Checks the chunks from the last one on that nobody has read meanwhile.
    pub(crate) fn check(&self) {
        self.0.iter().rev().for_each(|(chunks, chunk)| chunks.check_ahead(*chunk));
    }
}
