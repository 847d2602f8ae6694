//! Outputs of commands: how they went, and the error in them.

use crate::named::names;

/// The most bytes that are looked at.
const BYTES_MAX: usize = 64 << 10;

/// Words of a line that speaks of an error.
const ERRORS: [&str; 9] = [
    "error",
    "exception",
    "panicked",
    "fatal",
    "timeout",
    "denied",
    "not found",
    "cannot",
    "failed",
];

/// How a line begins that tells of a failure.
const BAD: [&str; 12] = [
    "error:",
    "error[",
    "error ",
    "fail",
    "fatal:",
    "panicked",
    "traceback",
    "exit code 1",
    "x ",
    "\u{2717}",
    "\u{2718}",
    "\u{2716}",
];

/// How a line begins that tells of something that went well, whatever its name is.
const GOOD: [&str; 3] = ["ok ", "pass", "\u{2713}"];

/// Words of a line that tells that all went well.
const ALL_GOOD: [&str; 7] =
    ["passed", "passing", "passes", "success", "successful", "successfully", "finished"];

/// Whether it says that it went well, or that it didn't; `None` where it says neither.
///
/// Programs that check something print numbers of what passed and failed, or a mark or a word
/// before each name: in whatever language they are written, those are few.
pub(crate) fn went_well(output: &str) -> Option<bool> {
    let from = output.len().saturating_sub(BYTES_MAX);
    let text = output.get(output.ceil_char_boundary(from)..).unwrap_or_default();
    let verdicts = text.lines().map(|line| verdict(&line.trim().to_lowercase()));
    verdicts.flatten().reduce(|all, one| all && one)
}

/// The verdict of a line in lower case.
fn verdict(line: &str) -> Option<bool> {
    let begins = |list: &[&str]| list.iter().any(|word| line.starts_with(word));
    if begins(&GOOD) {
        return Some(true);
    }
    let words: Vec<&str> = line
        .split(|c: char| !(c.is_alphanumeric() || c == '.'))
        .filter(|word| !word.is_empty())
        .collect();
    // "3 failed" tells of a failure, and "0 failed" of none.
    let is_failure =
        |word: &str| ["fail", "error", "problem"].iter().any(|one| word.starts_with(one));
    let counts = words.windows(2).filter_map(|pair| {
        let [count, what] = pair else { return None };
        count.parse().ok().filter(|_: &u64| is_failure(what))
    });
    if let Some(count) = counts.max() {
        return Some(count == 0);
    }
    if begins(&BAD) || line.contains("error:") {
        return Some(false);
    }
    words.iter().any(|word| ALL_GOOD.contains(word)).then_some(true)
}

/// The line that tells its error: the first that names something, else the first that speaks of
/// one.
pub(crate) fn error_in(output: &str) -> Option<&str> {
    let end = output.floor_char_boundary(BYTES_MAX.min(output.len()));
    let speaks = |line: &&str| {
        let line = line.to_lowercase();
        let is_good = GOOD.iter().any(|word| line.starts_with(word));
        !is_good && ERRORS.iter().any(|word| line.contains(word))
    };
    let lines = || output.get(..end).unwrap_or_default().lines().map(str::trim).filter(speaks);
    lines().find(|line| names(line).next().is_some()).or_else(|| lines().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_says_how_it_went() {
        for (output, well) in [
            ("test result: ok. 64 passed; 0 failed", Some(true)),
            (" Test Files  5 passed (5)\n      Tests  41 passed (41)", Some(true)),
            ("3 failed, 12 passed in 0.4s", Some(false)),
            ("error[E0502]: cannot borrow", Some(false)),
            ("X test (3.11) in 2m47s", Some(false)),
            ("    Finished `dev` profile in 2.44s", Some(true)),
            ("\u{2713} 3 login.spec.ts:29:1 failed login shows an error (1.9s)", Some(true)),
            ("0 errors, 2 warnings", Some(true)),
            ("Enter the password", None),
            ("src/a.ts:1: let a = 1", None),
            ("", None),
        ] {
            assert_eq!(went_well(output), well, "{output}");
        }
    }

    #[test]
    fn an_error_is_found_by_its_name_and_else_by_its_words() {
        for (output, error) in [
            (
                "a\nsrc/x.ts(4,7): error TS2345: no such type\n",
                "src/x.ts(4,7): error TS2345: no such type",
            ),
            ("make: *** failed\nValueError: x", "ValueError: x"),
            ("bash: foo: command not found", "bash: foo: command not found"),
        ] {
            assert_eq!(error_in(output), Some(error), "{output}");
        }
        assert_eq!(error_in("all is well"), None);
        assert_eq!(error_in("\u{2713} failed login shows an error"), None);
    }
}
