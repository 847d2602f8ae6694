use crate::tally::Tally;

/// Bound for the count of a label, among all of a half.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// At least this share, in thousandths; holds for the untouched half.
    AtLeast(&'static str, u64),
    /// At least this share of what has the second label, in thousandths; holds for the
    /// untouched half.
    AtLeastOf(&'static str, &'static str, u64),
    /// At least this share of both halves together, in thousandths.
    Overall(&'static str, u64),
    /// None; holds for both halves.
    None(&'static str),
}

impl Goal {
    pub(crate) fn is_reached(self, tuned: &Tally, untouched: &Tally) -> bool {
        match self {
            Goal::AtLeast(label, thousandths) => {
                untouched.count(label) * 1_000 >= thousandths * untouched.of
            }
            Goal::AtLeastOf(label, of, thousandths) => {
                untouched.count(label) * 1_000 >= thousandths * untouched.count(of)
            }
            Goal::Overall(label, thousandths) => {
                let count = tuned.count(label) + untouched.count(label);
                count * 1_000 >= thousandths * (tuned.of + untouched.of)
            }
            Goal::None(label) => tuned.count(label) + untouched.count(label) == 0,
        }
    }

    pub(crate) fn text(self) -> String {
        match self {
            Goal::AtLeast(label, thousandths) => {
                format!("goal: {label} of the untouched half at least {}", percent(thousandths))
            }
            Goal::AtLeastOf(label, of, thousandths) => {
                format!(
                    "goal: {label} of {of} in the untouched half at least {}",
                    percent(thousandths)
                )
            }
            Goal::Overall(label, thousandths) => {
                format!("goal: {label} at least {}", percent(thousandths))
            }
            Goal::None(label) => format!("goal: {label} 0"),
        }
    }
}

/// Thousandths as they are printed.
pub(crate) fn percent(thousandths: u64) -> String {
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}
