//! Comparison of writes by likeness: models, vectors, arbiters, thresholds.

pub use crate::arbiter::{Arbiter, Contender, Question as ArbiterQuestion};
pub use crate::calibration::{Calibrated, LabelledPair, PairLabel, calibrate};
pub use crate::comparer::{ByVectors, Comparer, cosine};
pub use crate::embedding::Embedded;
pub use crate::missing_vectors::{Reembedded, TextOf, VectorsOf};
pub use crate::reconciler::{Reconciler, Reconciling};
pub use memlith_event::{Arbitration, Cosine, Difference, Near, Reply, Thresholds, Weighing};
pub use memlith_recall::{
    EmbedError, Embedder, ModelId, ModelVector, StaticTable, Table, TableError, Vector, VectorError,
};
