//! Makes the list of words that mean about the same, or checks it.
//!
//! `cargo run --release -p memlith-recall --example neighbours -- FILE [--check]`, where the
//! file is `crates/recall/table/neighbours.bin`.

use memlith_recall::{StaticTable, neighbours};

fn main() {
    let path = std::env::args().nth(1).expect("the path of the list");
    let check = std::env::args().nth(2).as_deref() == Some("--check");
    let table = StaticTable::built_in();
    let pieces = 0..table.table().count();
    let begin = pieces.filter(|at| table.table().piece(*at).is_some_and(|piece| !piece.0)).count();
    let list = neighbours(table, 0, begin);
    if check {
        let found = std::fs::read(&path).expect("a list that can be read");
        assert!(found == list, "{path} is not the list of this table");
    } else {
        std::fs::write(&path, &list).expect("a folder that can be written");
    }
    println!("{begin} words, {} bytes, blake3 {}", list.len(), blake3::hash(&list));
}
