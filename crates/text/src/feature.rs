use std::ops::Range;

/// Something that two texts must share to say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// By one form for all the ways to write it.
    pub form: String,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

/// Returns the features that each of two lists has and the other lacks, counted, in order.
pub fn unmatched<'a>(
    left: &'a [Feature],
    right: &'a [Feature],
) -> (Vec<&'a Feature>, Vec<&'a Feature>) {
    (without(left, right), without(right, left))
}

/// The features of `list` that remain when each of `taken` has taken one of its form.
fn without<'a>(list: &'a [Feature], taken: &[Feature]) -> Vec<&'a Feature> {
    let mut taken: Vec<&str> = taken.iter().map(|feature| feature.form.as_str()).collect();
    taken.sort_unstable();
    let mut rest: Vec<&Feature> = list.iter().collect();
    rest.sort_by(|a, b| a.form.cmp(&b.form));
    let mut taken = taken.into_iter().peekable();
    rest.retain(|feature| {
        while taken.next_if(|form| *form < feature.form.as_str()).is_some() {}
        taken.next_if(|form| *form == feature.form.as_str()).is_none()
    });
    rest.sort_by_key(|feature| feature.range.start);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_have_is_taken_out_as_often_as_both_have_it() {
        let list = |forms: &str| -> Vec<Feature> {
            let feature =
                |(at, form): (usize, char)| Feature { form: form.to_string(), range: at..at + 1 };
            forms.chars().enumerate().map(feature).collect()
        };
        let (left, right) = (list("cabca"), list("bxa"));
        let (more, less) = unmatched(&left, &right);
        let forms = |list: &[&Feature]| -> String {
            list.iter().map(|feature| feature.form.as_str()).collect()
        };
        assert_eq!((forms(&more), forms(&less)), ("cca".to_owned(), "x".to_owned()));
    }
}
