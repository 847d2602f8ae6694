use memlith::write::{ModelId, ModelVector};

/// A vector whose bytes spell a word, so that it can be looked for in the files.
///
/// All are of one model and one width; what is longer than 14 letters is cut.
pub(super) fn spelled(word: &str) -> Option<ModelVector> {
    let letters = word.bytes().filter(u8::is_ascii).take(14);
    let filled = letters.chain(std::iter::repeat(b' ')).take(15);
    // The greatest of them is 127 already, so that the others stay as they are.
    let numbers: Vec<f32> = filled.chain([127]).map(f32::from).collect();
    ModelVector::of_floats(ModelId::new("spelled")?, &numbers).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_bytes_are_the_word_s() {
        let vector = spelled("zq7x").unwrap();
        assert_eq!(
            vector.components().iter().map(|one| one.cast_unsigned()).collect::<Vec<u8>>(),
            b"zq7x           \x7f"
        );
    }
}
