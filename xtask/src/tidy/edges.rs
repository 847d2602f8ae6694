use std::collections::BTreeMap;

use super::finding::Finding;
use super::packages::Package;
use super::table::{Row, rows};
use super::tree::Tree;

/// The page with the crate table.
const PAGE: &str = "ARCHITECTURE.md";

const HEADER: [&str; 3] = ["crate", "one line", "may depend on"];

/// Crates that a crate may depend on, by the table.
enum May {
    /// On these crates of ours.
    These(Vec<String>),
    /// On every crate of ours.
    Any,
}

/// The crate table names exactly the packages there are and every dependency between them.
///
/// What only tests use is free. A permission that is not used is no finding.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let packages = tree.packages();
    if packages.is_empty() {
        return Vec::new();
    }
    let Some(rows) = rows(tree.text(PAGE).unwrap_or(""), &HEADER) else {
        let message = format!("no table with the header `{}`", HEADER.join(" | "));
        return vec![Finding::new("edge", PAGE, 1, message)];
    };
    let mut found = Vec::new();
    let mut table = BTreeMap::new();
    for row in &rows {
        match read(row) {
            Ok((name, may)) => {
                check_row(row, &name, &may, packages, &mut found);
                table.insert(name, (row.line, may));
            }
            Err(message) => found.push(Finding::new("edge", PAGE, row.line, message)),
        }
    }
    let last = rows.last().map_or(1, |row| row.line);
    for package in packages {
        check_folder(package, &mut found);
        match table.get(&package.name) {
            Some((line, may)) => check_package(package, *line, may, &mut found),
            None => {
                let message =
                    format!("no row for {}; add\n    {}", package.folder, row_of(package));
                found.push(Finding::new("edge", PAGE, last, message));
            }
        }
    }
    found
}

fn read(row: &Row) -> Result<(String, May), &'static str> {
    let [name, _, may] = row.cells.as_slice() else { return Err("a row has three cells") };
    let [name] = name.names.as_slice() else { return Err("write the crate's name in backticks") };
    let may = match may.text.as_str() {
        "nothing of ours" => May::These(Vec::new()),
        "any" => May::Any,
        _ if !may.names.is_empty() => May::These(may.names.clone()),
        _ => return Err("write crates in backticks, or `nothing of ours`, or `any`, unmarked"),
    };
    Ok((name.clone(), may))
}

fn check_row(row: &Row, name: &str, may: &May, packages: &[Package], found: &mut Vec<Finding>) {
    let mut find = |message| found.push(Finding::new("edge", PAGE, row.line, message));
    let exists = |name: &str| packages.iter().any(|package| package.name == name);
    if !exists(name) {
        find(format!("there is no crate `{name}`: a row comes with its crate, remove it"));
    }
    if let May::These(names) = may {
        for other in names.iter().filter(|other| !exists(other)) {
            find(format!("`{name}` may depend on `{other}`, which does not exist: remove it"));
        }
    }
}

fn check_package(package: &Package, line: usize, may: &May, found: &mut Vec<Finding>) {
    let May::These(names) = may else { return };
    for other in package.depends_on.iter().filter(|other| !names.contains(other)) {
        let message = format!(
            "`{}` depends on `{other}` without an arrow in the table: write an ADR for it and \
             make the row\n    {}",
            package.name,
            row_of(package)
        );
        found.push(Finding::new("edge", PAGE, line, message));
    }
}

/// The folder has the package's name, short or whole, so that a path says which it belongs to.
fn check_folder(package: &Package, found: &mut Vec<Finding>) {
    let folder = package.folder.rsplit('/').next().unwrap_or_default();
    if folder.strip_prefix("memlith-").unwrap_or(folder) != package.name {
        let path = format!("{}/Cargo.toml", package.folder);
        let message = format!("the folder of package `{}` has another name", package.name);
        found.push(Finding::new("edge", &path, 1, message));
    }
}

/// The row that would be true of a package.
fn row_of(package: &Package) -> String {
    let names: Vec<String> = package.depends_on.iter().map(|name| format!("`{name}`")).collect();
    let may = if names.is_empty() { "nothing of ours".to_owned() } else { names.join(", ") };
    let line = package.description.trim_end_matches('.');
    format!("| `{}` | {line} | {may} |", package.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, depends_on: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            folder: format!("crates/{name}"),
            description: "What it is.".to_owned(),
            depends_on: depends_on.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn found(rows: &str, packages: &[Package]) -> Vec<String> {
        let page = format!("# A\n\n| crate | one line | may depend on |\n|---|---|---|\n{rows}");
        let tree = Tree::of(&[(PAGE, &page)]).with_packages(packages.to_vec());
        check(&tree).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn the_true_table_is_clean() {
        let rows = "| `log` | Bytes | nothing of ours |\n\
            | `event` | Words | `log` (ids only) |\n| `kit` | Tests | any |\n";
        let packages =
            [package("log", &[]), package("event", &["log"]), package("kit", &["event", "log"])];
        assert_eq!(found(rows, &packages), [""; 0]);
    }

    #[test]
    fn a_new_arrow_is_found() {
        let rows = "| `log` | Bytes | nothing of ours |\n| `event` | Words | nothing of ours |\n";
        let found = found(rows, &[package("log", &[]), package("event", &["log"])]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found.concat().contains("| `event` | What it is | `log` |"), "{found:?}");
    }

    #[test]
    fn a_crate_without_a_row_is_told_its_row() {
        let rows = "| `log` | Bytes | nothing of ours |\n";
        let found = found(rows, &[package("log", &[]), package("event", &["log"])]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found.concat().contains("| `event` | What it is | `log` |"), "{found:?}");
    }

    #[test]
    fn a_row_without_a_crate_is_found() {
        let rows = "| `log` | Bytes | `gone` |\n| `event` | Words | `log` |\n";
        assert_eq!(found(rows, &[package("log", &[])]).len(), 2);
    }

    #[test]
    fn a_malformed_row_or_a_missing_table_is_found() {
        let packages = [package("log", &[])];
        assert!(!found("| log | Bytes | nothing of ours |\n", &packages).is_empty());
        assert!(!found("| `log` | Bytes | |\n", &packages).is_empty());
        let tree = Tree::of(&[(PAGE, "no table")]).with_packages(packages.to_vec());
        assert_eq!(check(&tree).len(), 1);
    }

    #[test]
    fn a_folder_of_another_name_is_found() {
        let log = Package { folder: "crates/journal".to_owned(), ..package("log", &[]) };
        assert_eq!(found("| `log` | Bytes | nothing of ours |\n", &[log]).len(), 1);
    }
}
