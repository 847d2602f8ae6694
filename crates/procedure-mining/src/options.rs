/// Limits that decide what counts as a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The least number of distinct sessions; 0 and 1 count as 2.
    pub support_min: u32,
    /// The most other steps between two steps of a procedure that follow each other;
    /// at most [`Options::GAP_MAX`].
    pub gap_max: u8,
    /// The fewest steps; 0 and 1 count as 2.
    pub steps_min: u8,
    /// The most steps; at most [`Options::STEPS_MAX`].
    pub steps_max: u8,
    /// The chance that a mining of sessions without any order proposes anything, as a
    /// power of one half.
    pub doubt_bits: u8,
    /// The most candidates.
    pub candidates_max: u32,
}

impl Options {
    /// No gap is longer, whatever is asked for.
    pub const GAP_MAX: u8 = 15;
    /// No procedure is longer, whatever is asked for.
    pub const STEPS_MAX: u8 = 32;

    /// These options, each brought within its limits.
    #[must_use]
    pub fn bounded(self) -> Options {
        let steps_max = self.steps_max.clamp(2, Options::STEPS_MAX);
        Options {
            support_min: self.support_min.max(2),
            gap_max: self.gap_max.min(Options::GAP_MAX),
            steps_min: self.steps_min.clamp(2, steps_max),
            steps_max,
            ..self
        }
    }
}

impl Default for Options {
    /// Three sessions, three other steps between, 3 to 16 steps, a doubt of 1 in 128.
    fn default() -> Options {
        Options {
            support_min: 3,
            gap_max: 3,
            steps_min: 3,
            steps_max: 16,
            doubt_bits: 7,
            candidates_max: 1_000,
        }
    }
}
