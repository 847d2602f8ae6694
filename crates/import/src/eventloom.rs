#![allow(missing_docs)]
use crate::lines::Line;
use crate::reader::Transcript;
use crate::session::Output;
use crate::{ImportError, Options, Place};
use std::collections::BTreeMap;
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    A,
}
pub(crate) struct Eventloom(BTreeMap<Dialect, u64>);
impl Eventloom {
    pub(crate) fn new(_: Options) -> Self {
        Eventloom(BTreeMap::new())
    }
    pub(crate) fn dialects(&self) -> &BTreeMap<Dialect, u64> {
        &self.0
    }
}
impl Transcript for Eventloom {
    fn line(&mut self, _: Line<'_>, _: &mut Output) -> Result<(), ImportError> {
        Ok(())
    }
    fn end(&mut self, _: Place, _: &mut Output) -> Result<(), ImportError> {
        Ok(())
    }
}
