use std::fmt;

/// So much of a campaign as found a bug: what the quick form runs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// One of its seeds.
    Seed(u64),
    /// One of its tests, by its whole name.
    Test(String),
    /// One kind of damage, by its label.
    Kind(String),
    /// The files whose names begin like this.
    Files(String),
}

/// Of what kind the parts of a campaign are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    /// It has none.
    None,
    Seeds,
    Tests,
    Kinds,
    Files,
}

impl Part {
    /// Reads it back from what is shown of it.
    pub(crate) fn of(text: &str) -> Option<Part> {
        let (what, which) = text.split_once(' ')?;
        match what {
            "seed" => which.parse().ok().map(Part::Seed),
            "test" => Some(Part::Test(which.to_owned())),
            "kind" => Some(Part::Kind(which.to_owned())),
            "files" => Some(Part::Files(which.to_owned())),
            _ => None,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Seed(seed) => write!(f, "seed {seed}"),
            Part::Test(name) => write!(f, "test {name}"),
            Part::Kind(label) => write!(f, "kind {label}"),
            Part::Files(prefix) => write!(f, "files {prefix}"),
        }
    }
}

impl Parts {
    /// The part that went red first, by all that a campaign printed and what it said first.
    pub(crate) fn red(self, out: &str, said: &str) -> Option<Part> {
        match self {
            Parts::None => None,
            Parts::Seeds => {
                let rest = said.split("seed ").nth(1)?;
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                rest.get(..end)?.parse().ok().map(Part::Seed)
            }
            Parts::Tests => {
                let mut tests = out.lines().filter_map(|line| line.strip_prefix("test "));
                let failed = tests.find_map(|test| test.strip_suffix(" ... FAILED"))?;
                Some(Part::Test(failed.to_owned()))
            }
            // `LEDGER seed N, KIND: what was done: what came of it`
            Parts::Kinds => {
                let (_, place) = said.split_once("first: ")?.1.split_once(", ")?;
                Some(Part::Kind(place.split_once(": ")?.0.to_owned()))
            }
            // The name of the first file that something is wrong with, but for the digest or
            // the number at its end: those change with every version of what it holds.
            Parts::Files => {
                let name = said.split_once("violations\":[\"")?.1;
                let name = name.split([' ', ':', '"']).next()?;
                Some(Part::Files(name.rsplit_once('-').map_or(name, |(kind, _)| kind).to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_back_as_it_is_shown() {
        let parts = [
            Part::Seed(87),
            Part::Test("checkpoints::a_cut".into()),
            Part::Kind("file cut short, zeros to its old length".into()),
            Part::Files("run-4-0-19-16".into()),
        ];
        for part in parts {
            assert_eq!(Part::of(&part.to_string()), Some(part));
        }
        assert_eq!(Part::of("seed x"), None);
        assert_eq!(Part::of("nothing"), None);
    }

    #[test]
    fn the_part_that_went_red_first_is_found_in_what_was_said() {
        let seed = Parts::Seeds.red("", "seed 14: step 3, Checkpoint: lost: 2 writes");
        assert_eq!(seed, Some(Part::Seed(14)));
        let out = "running 3 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest d ... FAILED\n";
        assert_eq!(Parts::Tests.red(out, "seed 7"), Some(Part::Test("a::c".into())));
        assert_eq!(Parts::Tests.red("test a::b ... ok\n", ""), None);
        let said = "3 times, first: Log closed seed 0, segments swapped or doubled: 1 and 2: lost";
        let kind = Parts::Kinds.red("", said);
        assert_eq!(kind, Some(Part::Kind("segments swapped or doubled".into())));
        let said = "violations\":[\"run-4-0-19-16-60fcfcd27e9d byte 648 bit 3: another answer\"]";
        assert_eq!(Parts::Files.red("", said), Some(Part::Files("run-4-0-19-16".into())));
        let said = "violations\":[\"mark: 5 flips are not found\"]";
        assert_eq!(Parts::Files.red("", said), Some(Part::Files("mark".into())));
        assert_eq!(Parts::None.red(out, said), None);
    }
}
