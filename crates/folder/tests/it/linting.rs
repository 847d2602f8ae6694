//! The lint: each rule, broken in one place.

use memlith_folder::{Files, Severity, lint};

use crate::sample::{mixed, rendered};

/// Replaces the first `from` in a file, and gives the rules that then are broken.
fn broken(path: &str, from: &str, to: &str) -> Vec<&'static str> {
    let mut files = rendered(&mixed(20));
    let text = files.get_mut(path).unwrap();
    assert!(text.contains(from), "{path} has no {from:?}:\n{text}");
    *text = text.replacen(from, to, 1);
    rules(&files)
}

fn rules(files: &Files) -> Vec<&'static str> {
    let mut rules: Vec<_> = lint(files, None).findings.iter().map(|one| one.rule).collect();
    rules.dedup();
    rules
}

#[test]
fn each_rule_of_the_handbook_finds_its_fault() {
    for (from, to, rule) in [
        ("# Task Group: ", "# Group: ", "M01"),
        ("scope: ", "range: ", "M02"),
        ("; reuse_rule=", "; rule=", "M02"),
        ("## Task 1:", "## Task 4:", "M03"),
        ("### keywords", "### words", "M04"),
        (", updated_at=20", ", updated_at=x20", "M05"),
        ("- rollout_summaries/2026", "- rollout_summaries/1999", "M06"),
        (", updated_at=2026-05-0", ", updated_at=2027-05-0", "M07"),
        ("## Reusable knowledge", "## Knowledge", "M08"),
        ("[Task 1]", "[Task 77]", "M09"),
        ("- the preference of", "* the preference of", "M11"),
        ("- the knowledge of", "- the **knowledge** of", "M11"),
        ("## Task 1: Look", "## Task 1: misc, x\n\n## Task 2: Look", "M12"),
        ("skills/cargo", "skills/make", "M15"),
        ("- the knowledge", "- password = hunter2hunter2hunter2, the knowledge", "M16"),
    ] {
        let rules = broken("MEMORY.md", from, to);
        assert!(rules.contains(&rule), "{rule} for {to:?}: {rules:?}");
    }
}

#[test]
fn warnings_of_the_handbook_are_warnings() {
    let mut files = rendered(&mixed(20));
    let text = &files["MEMORY.md"];
    let bullet = text.lines().find(|line| line.starts_with("- the knowledge")).unwrap().to_owned();
    let bare = bullet.split(" [Task").next().unwrap().to_owned();
    let twice = text.replacen(&bullet, &format!("{bullet}\n{bullet}\n{bare} x"), 1);
    let heading = twice.lines().next().unwrap().to_owned();
    files.insert(
        "MEMORY.md".to_owned(),
        format!("{}\n\n{twice}", twice.split("\n\n# ").next().unwrap()),
    );
    let linted = lint(&files, None);
    for rule in ["M10", "M13", "M14"] {
        let found = linted.findings.iter().find(|one| one.rule == rule);
        assert_eq!(found.map(|one| one.severity), Some(Severity::Warning), "{rule} {heading}");
    }
}

#[test]
fn each_rule_of_the_summary_finds_its_fault() {
    for (from, to, rule) in [
        ("v1\n", "v2\n", "S01"),
        ("## General Tips", "## Tips", "S02"),
        ("## User Profile\n", &format!("## User Profile\n{}\n", "word ".repeat(351)), "S03"),
        ("- logeng:", "- another:", "S04"),
        ("#### 2026-05-02", "#### 2026-05-32", "S05"),
        ("### unknown\n", "### x\n\n#### 2020-01-01\n\n#### 2020-01-02\n", "S05"),
        (
            "## What's in Memory\n",
            "## What's in Memory\n\n### x\n\n#### 2020-01-02\n\n#### 2020-01-01\n",
            "S05",
        ),
        ("### unknown\n", "### Older Memory Topics\n\n- logeng: mmap\n  - desc: x\n", "S06"),
        ("- logeng: u", "- logeng: nowhere, u", "S07"),
        ("## General Tips\n", &format!("## General Tips\n- {}\n", "x".repeat(10_000)), "S08"),
        ("  - desc:", "  - about:", "S09"),
        ("  - learnings:", "  - lessons:", "S09"),
    ] {
        let rules = broken("memory_summary.md", from, to);
        assert!(rules.contains(&rule), "{rule} for {:.40}: {rules:?}", to);
    }
}

#[test]
fn each_rule_of_the_other_files_finds_its_fault() {
    for (from, to, rule) in [
        ("rollout_path: ", "path: ", "R01"),
        ("rollout_summary_file: 2026", "rollout_summary_file: 1999", "R02"),
    ] {
        let rules = broken("raw_memories.md", from, to);
        assert!(rules.contains(&rule), "{rule}: {rules:?}");
    }
    let skill = "skills/cargo-fmt-git-commit-0a1b2c3d/SKILL.md";
    let long = format!("{}## Procedure", "\n".repeat(500));
    for (from, to, rule) in [
        ("name: cargo", "name: Cargo", "K01"),
        ("---\n", "", "K01"),
        ("## Procedure", long.as_str(), "K02"),
        ("## Efficiency plan", "## Plan", "K03"),
    ] {
        let rules = broken(skill, from, to);
        assert!(rules.contains(&rule), "{rule}: {rules:?}");
    }
    let mut files = rendered(&mixed(20));
    files.insert("rollout_summaries/stray.md".to_owned(), "x\n".to_owned());
    assert_eq!(rules(&files), ["R03"]);
}

#[test]
fn a_finding_names_its_line() {
    let mut files = rendered(&mixed(20));
    let text = files.get_mut("MEMORY.md").unwrap();
    let line = 1 + text.lines().position(|line| line.starts_with("## Task 2:")).unwrap();
    *text = text.replacen("## Task 2:", "## Task 3:", 1);
    let first = &lint(&files, None).findings[0];
    assert_eq!((first.rule, first.line, first.path.as_str()), ("M03", line, "MEMORY.md"));
}
