//! The log through its public interface, over simulated and real disks.

#[cfg(test)]
mod allocations;
#[cfg(test)]
mod basics;
#[cfg(test)]
mod brief;
#[cfg(test)]
mod cost;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod erasing;
mod faults;
#[cfg(test)]
mod flips;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod local;
#[cfg(test)]
mod meanwhile;
#[cfg(test)]
mod missing;
#[cfg(test)]
mod recovery;
#[cfg(test)]
mod tail;
#[cfg(test)]
mod tamper;
#[cfg(test)]
mod verifying;

#[test]
fn no_file_is_forgotten() {
    let listed = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name}");
    }
}
