use std::sync::{Arc, LazyLock, OnceLock};

/// Bytes that a medium writes as one.
pub(super) const SECTOR_LEN: usize = 512;

const PAGE_LEN: usize = 4_096;

type Digest = [u8; 32];

static ZERO_PAGE: LazyLock<Digest> = LazyLock::new(|| *blake3::hash(&[0; PAGE_LEN]).as_bytes());

/// The bytes of a file, in pages that copies share until one of them is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Image {
    len: usize,
    /// `None` for a page of zeros.
    pages: Vec<Option<Arc<Page>>>,
}

#[derive(Debug)]
struct Page {
    bytes: [u8; PAGE_LEN],
    digest: OnceLock<Digest>,
}

impl Clone for Page {
    /// A page is copied to be written, so that its digest stays behind.
    fn clone(&self) -> Page {
        Page { bytes: self.bytes, digest: OnceLock::new() }
    }
}

impl Image {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Fills `buffer` as far as there are bytes; returns how many.
    pub(super) fn read(&self, buffer: &mut [u8], offset: usize) -> usize {
        let len = self.len.saturating_sub(offset).min(buffer.len());
        let (mut at, mut rest) = (offset, buffer.get_mut(..len).unwrap_or_default());
        while !rest.is_empty() {
            let start = at % PAGE_LEN;
            let (to, after) = rest.split_at_mut(rest.len().min(PAGE_LEN - start));
            match self.pages.get(at / PAGE_LEN).and_then(Option::as_ref) {
                Some(page) => {
                    let from = page.bytes.get(start..start + to.len()).unwrap_or_default();
                    to.copy_from_slice(from);
                }
                None => to.fill(0),
            }
            at += to.len();
            rest = after;
        }
        len
    }

    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.len = self.len.max(offset.saturating_add(bytes.len()));
        self.pages.resize(self.len.div_ceil(PAGE_LEN), None);
        let (mut at, mut rest) = (offset, bytes);
        while !rest.is_empty() {
            let start = at % PAGE_LEN;
            let (from, after) = rest.split_at(rest.len().min(PAGE_LEN - start));
            if let Some(slot) = self.pages.get_mut(at / PAGE_LEN)
                && (slot.is_some() || from.iter().any(|byte| *byte != 0))
            {
                let page = slot.get_or_insert_with(Page::zeros);
                let page = Arc::make_mut(page);
                page.digest = OnceLock::new();
                let to = page.bytes.get_mut(start..start + from.len()).unwrap_or_default();
                to.copy_from_slice(from);
            }
            at += from.len();
            rest = after;
        }
    }

    /// Cuts the file, or extends it with zeros.
    pub(super) fn set_len(&mut self, len: usize) {
        if len < self.len {
            let start = len % PAGE_LEN;
            self.pages.truncate(len.div_ceil(PAGE_LEN));
            if start != 0
                && let Some(Some(page)) = self.pages.last_mut()
            {
                let page = Arc::make_mut(page);
                page.digest = OnceLock::new();
                page.bytes.get_mut(start..).unwrap_or_default().fill(0);
            }
        }
        self.len = len;
        self.pages.resize(len.div_ceil(PAGE_LEN), None);
    }

    pub(super) fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        self.read(&mut bytes, 0);
        bytes
    }

    /// Adds length and content; pages that are shared are hashed once.
    pub(super) fn hash_into(&self, hasher: &mut blake3::Hasher) {
        hasher.update(&self.len.to_le_bytes());
        for page in &self.pages {
            let digest = match page {
                Some(page) => page.digest.get_or_init(|| *blake3::hash(&page.bytes).as_bytes()),
                None => &*ZERO_PAGE,
            };
            hasher.update(digest);
        }
    }
}

impl Page {
    fn zeros() -> Arc<Page> {
        Arc::new(Page { bytes: [0; PAGE_LEN], digest: OnceLock::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Chance;

    fn digest(image: &Image) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        image.hash_into(&mut hasher);
        hasher.finalize()
    }

    #[test]
    fn an_image_is_what_a_vector_would_be_and_copies_are_apart() {
        let mut chance = Chance::new(1);
        let (mut image, mut model): (Image, Vec<u8>) = (Image::default(), Vec::new());
        for _ in 0..2_000 {
            let before = (image.clone(), model.clone());
            let at = chance.below(3 * PAGE_LEN);
            if chance.once_in(8) {
                image.set_len(at);
                model.resize(at, 0);
            } else {
                let mut bytes = vec![0; chance.below(700)];
                if chance.once_in(2) {
                    chance.fill(&mut bytes);
                }
                image.write(at, &bytes);
                let end = if bytes.is_empty() { 0 } else { at + bytes.len() };
                model.resize(model.len().max(end), 0);
                if !bytes.is_empty() {
                    model[at..end].copy_from_slice(&bytes);
                }
            }
            assert_eq!(image.to_vec(), model);
            assert_eq!(before.0.to_vec(), before.1);
            let mut fresh = Image::default();
            fresh.write(0, &model);
            fresh.set_len(model.len());
            assert_eq!(digest(&fresh), digest(&image));
            assert_eq!(digest(&before.0) == digest(&image), before.1 == model);
        }
    }
}
