//! redb with its default durability: every commit is synced.

use std::path::Path;
use std::process::ExitCode;

use memlith_rivals::{Store, serve};
use redb::{Database, Durability, ReadableDatabase, ReadableTable, TableDefinition};

const TEXTS: TableDefinition<'_, u64, (&str, bool)> = TableDefinition::new("texts");

struct Redb(Database);

impl Redb {
    fn write(
        &self,
        change: impl FnOnce(&mut redb::Table<'_, u64, (&'static str, bool)>) -> Result<(), redb::Error>,
    ) -> Result<(), redb::Error> {
        let mut transaction = self.0.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        change(&mut transaction.open_table(TEXTS)?)?;
        Ok(transaction.commit()?)
    }
}

impl Store for Redb {
    type Error = redb::Error;

    fn open(folder: &Path) -> Result<Redb, redb::Error> {
        let store = Redb(Database::create(folder.join("store.redb"))?);
        store.write(|_| Ok(()))?;
        Ok(store)
    }

    fn put(&mut self, step: u64, text: &str, is_valid: bool) -> Result<(), redb::Error> {
        self.write(|table| Ok(table.insert(step, (text, is_valid)).map(drop)?))
    }

    fn delete(&mut self, step: u64) -> Result<(), redb::Error> {
        self.write(|table| Ok(table.remove(step).map(drop)?))
    }

    fn get(&self, step: u64) -> Result<Option<(String, bool)>, redb::Error> {
        let table = self.0.begin_read()?.open_table(TEXTS)?;
        let found = table.get(step)?;
        Ok(found.map(|row| (row.value().0.to_owned(), row.value().1)))
    }

    fn last(&self) -> Result<Option<u64>, redb::Error> {
        let table = self.0.begin_read()?.open_table(TEXTS)?;
        Ok(table.last()?.map(|(step, _)| step.value()))
    }

    fn check(&mut self) -> Result<Option<String>, redb::Error> {
        let whole = self.0.check_integrity()?;
        Ok((!whole).then(|| "check_integrity found damage".to_owned()))
    }
}

fn main() -> ExitCode {
    serve::<Redb>()
}
