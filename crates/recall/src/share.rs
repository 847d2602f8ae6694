use crate::signals::ONE;

/// The fourth power: what has a little less than the best counts for much less.
pub(crate) fn sharpened(share: i64) -> i64 {
    let square = share * share / ONE;
    square * square / ONE
}

/// `part` of `whole` in millionths.
pub(crate) fn share(part: i64, whole: i64) -> i64 {
    let whole = whole.max(1);
    if let Some(part) = part.checked_mul(ONE) {
        return part / whole;
    }
    let share = i128::from(part) * i128::from(ONE) / i128::from(whole);
    i64::try_from(share).unwrap_or(i64::MAX)
}

/// 1 on the day itself, a half three days away, and so on.
pub(crate) fn nearness(gap_days: i32) -> i64 {
    ONE * 3 / (3 + i64::from(gap_days))
}
