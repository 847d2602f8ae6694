//! Procedures that sessions followed: mined, proposed, and told as a skill.

pub use crate::write::mine::{MinedLedger, MinedProcedure, MinedStanding};
pub use memlith_event::{Contrast, ContrastKind, Mined, MinedStep};
pub use memlith_memory::ProposedProcedure;
pub use memlith_procedure_mining::{
    Bits, Call, Candidate, Confidence, Deviation, DeviationKind, Ending, Error as MiningError,
    Extractor, Miner, Occurrence, Options as MiningOptions, ProcedureId, ProcedureStep, Sessions,
    Share, Skill, Step, Trials,
};
