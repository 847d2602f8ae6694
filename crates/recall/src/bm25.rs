//! BM25 in integers (S. Robertson and H. Zaragoza, 2009).

use crate::logarithm::log2_q16;

/// The two constants of BM25.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// How slowly repetition saturates, in tenths.
    k1_tenths: i64,
    /// How much length counts, in hundredths.
    b_hundredths: i64,
}

/// For passages, and for sessions taken as one document each: BM25's own constants, since lengths
/// differ much; short turns don't mind.
pub(crate) const BM25: Shape = Shape { k1_tenths: 12, b_hundredths: 75 };

/// How many documents there are, and how long they are together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Documents {
    /// Their number.
    pub(crate) documents: u64,
    /// Their length in fifths of a term.
    pub(crate) length: u64,
}

/// The statistics of what a query can see.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Corpus {
    /// Items, one by one.
    pub(crate) items: Documents,
    /// Sessions, each taken as one document.
    pub(crate) sessions: Documents,
}

/// The fixed point of norms and saturations.
const Q16: i64 = 1 << 16;

impl Documents {
    /// log2(1 + (N - n + 1/2) / (n + 1/2)), where `having` = n of N documents have the
    /// term; in 65,536ths.
    pub(crate) fn idf(self, having: u64) -> i64 {
        let having = having.min(self.documents);
        let whole = self.documents.saturating_mul(2).saturating_add(2);
        log2_q16(whole) - log2_q16(having.saturating_mul(2).saturating_add(1))
    }

    /// The average length in fifths of a term, in 256ths; at least 1.
    fn average_q8(self) -> u64 {
        (self.length.saturating_mul(256)).checked_div(self.documents).unwrap_or(1).max(1)
    }
}

impl Shape {
    /// k1 (1 - b + b length / average), in fifths of a term, in 65,536ths.
    pub(crate) fn norm(self, length: u64, among: Documents) -> i64 {
        // Past a thousand averages, length changes nothing any more.
        let ratio = (length.min(1 << 39) << 24) / among.average_q8();
        let ratio = i64::try_from(ratio).unwrap_or(i64::MAX).min(1_000 * Q16);
        let b = self.b_hundredths;
        5 * self.k1_tenths * ((100 - b) * Q16 + b * ratio) / 1_000
    }

    /// f (k1 + 1) / (f + norm), `frequency` in fifths; in 1,024ths.
    pub(crate) fn saturate(self, frequency: u64, norm: i64) -> i64 {
        let frequency = i64::try_from(frequency).unwrap_or(i64::MAX).min(1 << 24) * Q16;
        (frequency / 10 * (self.k1_tenths + 10)) / ((frequency + norm).max(1024) / 1024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let among = Documents { documents: 100, length: 5_000 };
        // log2(202 / 21) = 3.2659
        assert_eq!(among.idf(10), log2_q16(202) - log2_q16(21));
        // An item of average length: k1 alone.
        assert_eq!(BM25.norm(50, among), 5 * 12 * Q16 / 10);
        assert_eq!(BM25.norm(100, among), 6 * Q16 * 7 / 4);
        // One occurrence: 2.2 / 2.2; many: towards 2.2.
        assert_eq!(BM25.saturate(5, BM25.norm(50, among)), 1024);
        let many = BM25.saturate(5_000_000, BM25.norm(50, among));
        assert!((2_246..=2_253).contains(&many), "{many}");
    }

    #[test]
    fn extremes_stay_in_range() {
        for documents in [0, 1, u64::MAX] {
            for length in [0, 1, u64::MAX] {
                let among = Documents { documents, length };
                for having in [0, 1, u64::MAX] {
                    assert!((0..=66 * Q16).contains(&among.idf(having)));
                }
                let norm = BM25.norm(length, among);
                assert!((0..=2253).contains(&BM25.saturate(length, norm)), "{among:?}");
            }
        }
    }
}
