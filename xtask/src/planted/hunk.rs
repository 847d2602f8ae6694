/// A part of a patch: lines of a file, and those that come in their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The file, relative to the root.
    pub(crate) path: String,
    /// How many lines stood above it where it was made.
    above: usize,
    before: String,
    after: String,
}

impl Hunk {
    /// Reads those of a patch.
    pub(crate) fn all(patch: &str) -> Vec<Hunk> {
        let (mut path, mut hunks) = ("", Vec::<Hunk>::new());
        for line in patch.split_inclusive('\n') {
            if let Some(named) = line.strip_prefix("+++ b/") {
                path = named.trim_end();
            } else if let Some(place) = line.strip_prefix("@@ ") {
                let (path, above) = (path.to_owned(), lines_above(place));
                hunks.push(Hunk { path, above, ..Hunk::default() });
            } else if !line.starts_with("--- ")
                && let Some(hunk) = hunks.last_mut()
            {
                hunk.take(line);
            }
        }
        hunks
    }

    fn take(&mut self, line: &str) {
        let Some((sign, text)) = line.split_at_checked(1) else { return };
        if matches!(sign, " " | "-") {
            self.before.push_str(text);
        }
        if matches!(sign, " " | "+") {
            self.after.push_str(text);
        }
    }

    /// Puts its lines in the place of those that it has them for, the nearest to where it was
    /// made; `None` where there are no such lines.
    pub(crate) fn apply(&self, text: &mut String) -> Option<()> {
        // Every line stands behind the end of one, so that no part of a line is found.
        let (lines, before) = (format!("\n{text}"), format!("\n{}", self.before));
        let distance = |at: &usize| {
            let above = lines.get(..*at).unwrap_or_default();
            above.matches('\n').count().abs_diff(self.above)
        };
        let at = lines.match_indices(&before).map(|(at, _)| at).min_by_key(distance)?;
        text.replace_range(at..at + self.before.len(), &self.after);
        Some(())
    }
}

/// The lines above the place `-7,6 +9,8 @@` of a file whose earlier places are changed already.
fn lines_above(place: &str) -> usize {
    let line = place.split('+').nth(1).and_then(|rest| rest.split([',', ' ']).next());
    line.and_then(|line| line.parse::<usize>().ok()).unwrap_or(1).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_goes_to_the_nearest_of_its_places() {
        let patch = "why\n\n--- a/x.rs\n+++ b/x.rs\n@@ -4,2 +4,2 @@ fn a() {\n a\n-b\n+c\n";
        let hunks = Hunk::all(patch);
        let mut text = "a\nb\n1\naa\nb\na\nb\n".to_owned();
        assert_eq!(hunks.len(), 1);
        assert_eq!(hunks[0].path, "x.rs");
        assert_eq!(hunks[0].apply(&mut text), Some(()));
        assert_eq!(text, "a\nb\n1\naa\nb\na\nc\n");
        assert_eq!(hunks[0].apply(&mut "a\nbb\n".to_owned()), None);
    }

    #[test]
    fn a_new_file_is_one_hunk() {
        let hunks = Hunk::all("--- /dev/null\n+++ b/y.rs\n@@ -0,0 +1,2 @@\n+a\n+b\n");
        let mut text = String::new();
        assert_eq!(hunks[0].apply(&mut text), Some(()));
        assert_eq!(text, "a\nb\n");
    }
}
