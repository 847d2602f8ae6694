//! The engine through its public interface, over simulated and real disks.

#[cfg(test)]
mod audit;
#[cfg(test)]
mod authority;
#[cfg(test)]
mod backups;
#[cfg(test)]
mod checkpoints;
#[cfg(test)]
mod compaction;
#[cfg(test)]
mod deletion_bursts;
#[cfg(test)]
mod deliveries;
#[cfg(test)]
mod erasure;
#[cfg(test)]
mod flaws;
#[cfg(test)]
mod flaws_on_disk;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod forged;
#[cfg(test)]
mod inputs;
#[cfg(test)]
mod jsonl;
#[cfg(test)]
mod likeness;
mod memory;
#[cfg(test)]
mod missing;
#[cfg(test)]
mod novelty;
#[cfg(test)]
mod outcomes;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod policies;
#[cfg(test)]
mod practices;
#[cfg(test)]
#[cfg(test)]
mod procedures;
#[cfg(test)]
mod procedures_at_random;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod purposes;
#[cfg(test)]
mod redaction;
mod regressions;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod reviews;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod salience;
#[cfg(test)]
mod scopes;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod taint;
#[cfg(test)]
mod tombstones;
#[cfg(test)]
mod vectors;
#[cfg(test)]
mod workers;
#[cfg(test)]
mod world;
#[cfg(test)]
mod writeback;

#[test]
fn no_file_is_forgotten() {
    let listed = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("it");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name}");
    }
}
