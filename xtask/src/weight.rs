use std::collections::BTreeSet;

use crate::cargo::{cargo, output};

/// The most packages that a shipped crate may be built of, itself and ours included:
/// ADR/0006 says what they are for, and ADR/0042, ADR/0043 and ADR/0067 what the server, the calls
/// and sync of the command line add.
const PACKAGES_MAX: [(&str, &[&str], usize); 3] = [
    ("memlith", &[], 80),
    ("memlith-cli", &[], 128),
    ("memlith-cli", &["--features", "full"], 231),
];

/// Counts what the shipped crates are built of.
///
/// # Errors
/// One is built of more than it may be.
pub(crate) fn run() -> anyhow::Result<()> {
    for (package, features, max) in PACKAGES_MAX {
        let arguments = ["tree", "--package", package, "--edges", "normal", "--prefix", "none"];
        let found = packages(&output(cargo(&arguments).args(features))?);
        let name = [&[package], features].concat().join(" ");
        println!("{name}: {found} packages, at most {max}");
        anyhow::ensure!(found <= max, "{name} is built of {found} packages, at most {max} may be");
    }
    Ok(())
}

/// The packages in a listing of `cargo tree`: a name and a version a line, then notes,
/// such as that the package was listed before.
fn packages(listing: &str) -> usize {
    let named = listing.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.next()?))
    });
    named.collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_counts_once_and_each_of_its_versions() {
        let listing = "ours v0.1.0 (/x)\n\nserde v1.0.1\nserde v1.0.1 (*)\nsyn v2.0.0\nsyn v3.0.0\n\
                       derive v1.0.0 (proc-macro)\nderive v1.0.0 (proc-macro) (*)\n";
        assert_eq!(packages(listing), 5);
    }
}
