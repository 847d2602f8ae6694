/// The list of all planted bugs, one `NAME PATH -- what it breaks` a line.
pub(crate) const REGISTRY: &str = "xtask/planted/bugs.txt";

/// A planted bug, as the registry has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bug {
    pub(crate) name: String,
    /// The file that it is planted in, relative to the root.
    pub(crate) path: String,
    pub(crate) breaks: String,
}

impl Bug {
    /// The lines of the registry that are no comments, numbered from 1; `None` for a line
    /// that says too little.
    pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, Option<Bug>)> {
        let lines = (1..).zip(text.lines());
        lines
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(number, line)| (number, Bug::parse(line)))
    }

    fn parse(line: &str) -> Option<Bug> {
        let (place, breaks) = line.split_once(" -- ")?;
        let (name, path) = place.split_once(' ')?;
        Some(Bug { name: name.to_owned(), path: path.to_owned(), breaks: breaks.to_owned() })
    }
}
