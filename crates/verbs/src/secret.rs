/// Whether both are the same and not empty; takes as long whatever they differ in.
#[must_use]
pub fn is_same(given: &[u8], kept: &[u8]) -> bool {
    let differences = given.iter().zip(kept).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == kept.len() && !kept.is_empty() && std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        for (given, kept, same) in [
            ("abc", "abc", true),
            ("abd", "abc", false),
            ("ab", "abc", false),
            ("abcd", "abc", false),
            ("", "", false),
        ] {
            assert_eq!(is_same(given.as_bytes(), kept.as_bytes()), same, "{given} {kept}");
        }
    }
}
