use std::ops::RangeInclusive;
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

/// A thread that is at work already is handed no fewer: it takes as much as checking one.
const PAYS_HELPED: usize = 4;

impl Wave {
    pub(crate) fn add(&mut self, chunks: &Arc<Chunks>, chunk: usize) {
        self.0.push((chunks.clone(), chunk));
    }

    /// Lets the chunks be checked from the last one on, if there are enough.
    pub(crate) fn begin(self) {
        self.ask();
        let pays = if memlith_threads::is_helped() { PAYS_HELPED } else { PAYS };
        if self.0.len() >= pays {
            memlith_threads::aside(move || self.check());
        }
    }

    /// Lets the system read all of them, those that lie together at once.
    fn ask(&self) {
        self.together().iter().for_each(|(chunks, range)| chunks.ask(range.clone()));
    }

    /// The chunks, each once: stretches of those that follow each other in a file.
    pub(crate) fn together<'a>(&'a self) -> Vec<(&'a Chunks, RangeInclusive<usize>)> {
        let mut wave: Vec<&(Arc<Chunks>, usize)> = self.0.iter().collect();
        // In which order the files come makes no difference to anything but a disk.
        wave.sort_unstable_by_key(|(file, chunk)| (Arc::as_ptr(file), *chunk));
        let together = wave.chunk_by(|a, b| Arc::ptr_eq(&a.0, &b.0) && a.1 + 1 == b.1);
        let range = |wave: &[&'a (Arc<Chunks>, usize)]| {
            let ((file, first), (_, last)) = (wave.first()?, wave.last()?);
            Some((file.as_ref(), *first..=*last))
        };
        together.filter_map(range).collect()
    }

    /// Checks the chunks from the last one on that nobody has read meanwhile.
    pub(crate) fn check(&self) {
        self.0.iter().rev().for_each(|(chunks, chunk)| chunks.check_ahead(*chunk));
    }
}
