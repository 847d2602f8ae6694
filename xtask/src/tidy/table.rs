use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A row of a Markdown table.
#[derive(Default)]
pub(crate) struct Row {
    /// Its line, from 1.
    pub(crate) line: usize,
    /// Its cells in order.
    pub(crate) cells: Vec<Cell>,
}

/// A cell of a Markdown table.
#[derive(Default)]
pub(crate) struct Cell {
    /// The whole text, without marks.
    pub(crate) text: String,
    /// Names in backticks, in order.
    pub(crate) names: Vec<String>,
}

/// The rows of the table whose header is `header`, without that header.
///
/// `None` where the page has no such table.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the parser's many events only tables matter"
)]
pub(crate) fn rows(page: &str, header: &[&str]) -> Option<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for (event, range) in Parser::new_ext(page, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Table(_)) => rows.clear(),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                let before = page.get(..range.start).unwrap_or("");
                let line = 1 + before.matches('\n').count();
                rows.push(Row { line, cells: Vec::new() });
            }
            Event::Start(Tag::TableCell) => rows.last_mut()?.cells.push(Cell::default()),
            Event::End(TagEnd::Table) if is_header(rows.first(), header) => {
                rows.remove(0);
                return Some(rows);
            }
            other => {
                if let Some(cell) = rows.last_mut().and_then(|row| row.cells.last_mut()) {
                    cell.take(other);
                }
            }
        }
    }
    None
}

impl Cell {
    fn take(&mut self, event: Event<'_>) {
        if let Event::Text(text) | Event::Code(text) = &event {
            self.text.push_str(text);
        }
        if let Event::Code(name) = event {
            self.names.push(name.into_string());
        }
    }
}

fn is_header(row: Option<&Row>, header: &[&str]) -> bool {
    row.is_some_and(|row| {
        row.cells.iter().map(|cell| cell.text.as_str()).eq(header.iter().copied())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_with_the_header_is_read() {
        let page =
            "| x |\n|---|\n| `1` |\n\nText `a`.\n\n| a | b |\n|---|---|\n| `c` | *d* `e`, `f` |\n";
        let rows = rows(page, &["a", "b"]).unwrap();
        let [row] = rows.as_slice() else { panic!("{} rows", rows.len()) };
        assert_eq!(row.line, 9);
        assert_eq!(row.cells[0].names, ["c"]);
        assert_eq!(row.cells[1].names, ["e", "f"]);
        assert_eq!(row.cells[1].text, "d e, f");
        assert!(super::rows(page, &["a"]).is_none());
    }
}
