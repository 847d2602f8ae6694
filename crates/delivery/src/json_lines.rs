use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::batch::{Batch, Sink, TypeNames, Verdict};
use serde_json::{Value, json};

/// A sink that is a file: one JSON object a line, of an item each.
///
/// The last line of a batch says so (`"last": true`). What stands behind the last such line is
/// half a batch that was cut off, and is cut away before anything is added; so a batch is in the
/// file whole and once, or not at all. Synced, with the name of the file, before it counts as
/// applied. Mode 0600, whoever made it.
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    types: TypeNames,
}

impl JsonLines {
    /// The file at `path`, which is made with the first batch.
    #[must_use]
    pub fn new(path: PathBuf) -> JsonLines {
        JsonLines { path, types: TypeNames::default() }
    }

    /// Returns one that names the types of items so.
    #[must_use]
    pub fn typed(self, types: TypeNames) -> JsonLines {
        JsonLines { types, ..self }
    }

    /// Adds a batch, unless it is there.
    ///
    /// Cost: the file is read once.
    fn add(&self, batch: &Batch) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&self.path)?;
        // It may have been made by another hand.
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.lock()?;
        let Some(end) = whole(&file, &batch.id)? else { return Ok(()) };
        if end == 0 {
            // Else the file can go with the power, and with it what is told as applied.
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        let mut lines = Vec::new();
        for (at, item) in (1..).zip(&batch.items) {
            let line = json!({
                "batch": batch.id, "last": at == batch.items.len(), "id": item.id,
                "type": self.types.of(&item.kind), "key": item.key, "version": item.version,
                "hash": item.hash, "data": item.data,
            });
            lines.extend(line.to_string().into_bytes());
            lines.push(b'\n');
        }
        file.write_all(&lines)?;
        file.sync_all()
    }
}

impl Sink for JsonLines {
    fn deliver(&self, batch: &Batch, _: i64) -> Verdict {
        match self.add(batch) {
            Ok(()) => Verdict::Done { results: Vec::new(), nodes_created: 0, edges_created: 0 },
            Err(error) => Verdict::Unreached { what: format!("{}: {error}", self.path.display()) },
        }
    }
}

/// The bytes of the whole batches in the file; `None` where `batch` is one of them.
fn whole(file: &File, batch: &str) -> io::Result<Option<u64>> {
    let (mut reader, mut line) = (BufReader::new(file), Vec::new());
    let (mut at, mut end) = (0, 0);
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if read == 0 || !line.ends_with(b"\n") {
            return Ok(Some(end));
        }
        at += read as u64;
        let item: Value = serde_json::from_slice(&line).unwrap_or_default();
        if item.get("last") == Some(&Value::Bool(true)) {
            end = at;
            if item.get("batch").and_then(Value::as_str) == Some(batch) {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use crate::batch::Item;

    use super::*;

    fn batch(id: &str, items: usize) -> Batch {
        let item = |number| Item {
            id: format!("mem_{number}"),
            kind: "memory".to_owned(),
            key: "k\n".to_owned(),
            version: number as u64,
            hash: String::new(),
            data: Value::Null,
        };
        Batch { id: id.to_owned(), items: (0..items).map(item).collect() }
    }

    #[test]
    fn a_batch_is_there_whole_and_once_wherever_the_file_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let sink = JsonLines::new(path.clone());
        let send = |batch: &Batch| matches!(sink.deliver(batch, 0), Verdict::Done { .. });
        assert!(send(&batch("a", 2)) && send(&batch("b", 3)) && send(&batch("a", 2)));
        let whole = fs::read(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(send(&batch("a", 2)));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(whole.iter().filter(|byte| **byte == b'\n').count(), 5);
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(send(&batch("a", 2)) && send(&batch("b", 3)));
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_file_that_can_t_be_written_is_a_sink_that_can_t_be_reached() {
        let sink = JsonLines::new(PathBuf::from("/dev/null/x"));
        assert!(matches!(sink.deliver(&batch("a", 1), 0), Verdict::Unreached { .. }));
    }
}
