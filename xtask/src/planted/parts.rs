/// Kind of the parts of a campaign that can be run alone: what the quick form runs first. A part
/// is shown as its kind and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    /// It has none.
    None,
    /// `seed 87`.
    Seeds,
    /// `test NAME`, by its whole name.
    Tests,
    /// `kind LABEL`: one kind of damage.
    Kinds,
    /// `files PREFIX`: those whose names begin like this.
    Files,
}

impl Parts {
    /// The part that went red first, by all that a campaign printed and what it said first.
    pub(crate) fn red(self, out: &str, said: &str) -> Option<String> {
        match self {
            Parts::None => None,
            Parts::Seeds => {
                let rest = said.split("seed ").nth(1)?;
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                rest.get(..end).filter(|seed| !seed.is_empty()).map(|seed| format!("seed {seed}"))
            }
            Parts::Tests => {
                let mut tests = out.lines().filter(|line| line.starts_with("test "));
                tests.find_map(|test| test.strip_suffix(" ... FAILED")).map(str::to_owned)
            }
            // `LEDGER seed N, KIND: what was done: what came of it`
            Parts::Kinds => {
                let (_, place) = said.split_once("first: ")?.1.split_once(", ")?;
                Some(format!("kind {}", place.split_once(": ")?.0))
            }
            // The name of the first file that something is wrong with, but for the digest or
            // the number at its end: those change with every version of what it holds.
            Parts::Files => {
                let name = said.split_once("WRONG: ")?.1;
                let name = name.split([' ', ':']).next()?;
                Some(format!("files {}", name.rsplit_once('-').map_or(name, |(kind, _)| kind)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_went_red_first_is_found_in_what_was_said() {
        let red = |parts: Parts, out: &str, said: &str| parts.red(out, said).unwrap_or_default();
        let seed = "seed 14: step 3, Checkpoint: lost: 2 writes";
        assert_eq!(red(Parts::Seeds, "", seed), "seed 14");
        let out = "running 3 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest d ... FAILED\n";
        assert_eq!(red(Parts::Tests, out, "seed 7"), "test a::c");
        assert_eq!(red(Parts::Tests, "test a::b ... ok\n", ""), "");
        let said = "3 times, first: Log closed seed 0, segments swapped or doubled: 1 and 2: lost";
        assert_eq!(red(Parts::Kinds, "", said), "kind segments swapped or doubled");
        let said = "WRONG: run-4-0-19-16-60fcfcd27e9d byte 648 bit 3: another answer";
        assert_eq!(red(Parts::Files, "", said), "files run-4-0-19-16");
        let said = "WRONG: mark: 5 flips are not found";
        assert_eq!(red(Parts::Files, "", said), "files mark");
        assert_eq!(red(Parts::None, out, said), "");
    }
}
