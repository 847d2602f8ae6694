use crate::vocabulary::Piece;

/// The first word of the vocabulary; words follow in the order of their frequency, single
/// characters stand before them in that of their code points.
const FIRST_WORD: usize = 1_996;

/// The letters that are words or ends of words by themselves, as frequent as few words.
const FREQUENT: [&str; 6] = ["a", "i", "s", "t", "d", "m"];

/// How much a piece counts in a text's vector, in thousandths: nothing for a sign, little
/// for a frequent piece, nearly all for a rare one.
///
/// A piece of rank r has the share p = 1 / (10 (r + 2.7)) of a text (Zipf, Mandelbrot), and
/// counts a / (a + p). Source: Arora et al., 2017; a = 0.003 finds most on the dialogues that
/// ranking is fitted to (ADR/0022).
pub(crate) fn weight(piece: &Piece) -> u16 {
    if !piece.text.chars().any(char::is_alphanumeric) {
        return 0;
    }
    let rank = match piece.id.checked_sub(FIRST_WORD) {
        Some(rank) => rank as u64,
        None if FREQUENT.contains(&piece.text.as_str()) => 3,
        None => 300,
    };
    // a / (a + p) = 30 (r + 2.7) / (30 (r + 2.7) + 1000), in whole numbers.
    let share = 3 * (10 * rank + 27);
    u16::try_from((1_000 * share + (share + 1_000) / 2) / (share + 1_000)).unwrap_or(1_000)
}
