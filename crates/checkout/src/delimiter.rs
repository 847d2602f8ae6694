/// The 16 hex digits that open and close the section `body`: they stand nowhere in it.
///
/// They are the first of a BLAKE3 digest of the body and a counter, which starts at 0 and
/// rises until the body doesn't contain them: so the same section always has the same
/// delimiter, and no text can be written that holds its own.
///
/// A body of n bytes holds fewer than n runs of 16 digits, so at most n + 1 different
/// digests are tried.
pub(crate) fn delimiter(body: &str) -> String {
    absent(body, (0_u64..).map(|counter| digits(body, counter)))
}

/// The first candidate that `body` doesn't contain.
fn absent(body: &str, mut candidates: impl Iterator<Item = String>) -> String {
    candidates.find(|digits| !body.contains(digits.as_str())).unwrap_or_default()
}

fn digits(body: &str, counter: u64) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("memlith v1 section");
    hasher.update(&counter.to_le_bytes());
    hasher.update(body.as_bytes());
    hasher.finalize().to_hex().chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_body_has_the_same_delimiter() {
        let body = "{\"text\":\"x\"}";
        assert_eq!(delimiter(body), delimiter(body));
        assert_ne!(delimiter(body), delimiter("{\"text\":\"y\"}"));
        assert_eq!(delimiter(body).len(), 16);
    }

    #[test]
    fn digits_that_stand_in_the_body_are_passed_over() {
        let candidates = ["0123456789abcdef", "00112233445566aa", "ffffffffffffffff"];
        let body = "a 00112233445566aa b0123456789abcdefc";
        let found = absent(body, candidates.into_iter().map(str::to_owned));
        assert_eq!(found, "ffffffffffffffff");
    }
}
