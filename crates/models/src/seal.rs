//! A reply at rest: only who has what was asked can read it.
//!
//! A reply repeats what people said. The turns may be erased while it still lies in the cache;
//! then nobody can make the question again, and so nobody can read the reply.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

const NAME_CONTEXT: &str = "memlith-connect 2026-11-26 name of a question";
const MASK_CONTEXT: &str = "memlith-connect 2026-11-26 mask of a reply";

/// The name of a question in the cache. It tells nothing of the mask.
pub(crate) fn name(question: &[u8]) -> String {
    blake3::Hasher::new_derive_key(NAME_CONTEXT).update(question).finalize().to_hex().to_string()
}

/// The reply under a mask that follows from the question, as base64.
pub(crate) fn sealed(question: &[u8], reply: &str) -> String {
    BASE64_STANDARD.encode(masked(question, reply.as_bytes()))
}

/// The reply that was sealed for the question; `None` where it can't be one.
pub(crate) fn opened(question: &[u8], sealed: &str) -> Option<String> {
    let bytes = BASE64_STANDARD.decode(sealed).ok()?;
    String::from_utf8(masked(question, &bytes)).ok()
}

fn masked(question: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut mask = vec![0; bytes.len()];
    let mut hasher = blake3::Hasher::new_derive_key(MASK_CONTEXT);
    hasher.update(question).finalize_xof().fill(&mut mask);
    bytes.iter().zip(mask).map(|(byte, mask)| byte ^ mask).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_by_who_has_the_question() {
        let text = sealed(b"question", "the reply \u{e9}");
        assert_eq!(opened(b"question", &text).as_deref(), Some("the reply \u{e9}"));
        assert_ne!(opened(b"another", &text).as_deref(), Some("the reply \u{e9}"));
        assert_eq!(opened(b"question", "no base64!"), None);
        assert!(!BASE64_STANDARD.decode(&text).unwrap().starts_with(b"the"));
    }
}
