use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::chunks::Chunks;

/// Chunks of which it was said that they are read soon, in the order in which they will be.
///
/// A hint: each is checked when it is read.
#[derive(Default)]
pub(crate) struct Wave(Vec<(Arc<Chunks>, usize)>);

impl Wave {
    pub(crate) fn add(&mut self, chunks: &Arc<Chunks>, chunk: usize) {
        self.0.push((chunks.clone(), chunk));
    }

    /// Lets the system read all of them, those that lie together at once.
    pub(crate) fn ask(&self) {
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
}
