//! A session's means to compare texts: a model that knows few texts, and an arbiter that says
//! what it is told.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use memlith::{
    RecordId,
    write::{Arbiter, ArbiterQuestion, Comparer, Cosine, Difference, Reconciler, Reply, cosine},
};

/// Vectors of the model for texts: an axis, and those just at a threshold from it, or a ten
/// millionth to one side. Others are anywhere from each other.
const DIRECTIONS: [[i32; 5]; 11] = [
    [1, 0, 0, 0, 0],
    [437_000, 138_000, 23_000, 23_000, 23_000],
    [437_000, 138_000, 23_000, 23_000, 23_001],
    [437_000, 138_000, 23_000, 23_000, 22_999],
    [980_000, 420_000, 280_000, 140_000, 140_000],
    [980_000, 420_000, 280_000, 140_000, 140_001],
    [980_000, 420_000, 280_000, 140_000, 139_999],
    [1_240_000, 620_000, 620_000, 310_000, 0],
    [1_240_000, 620_000, 620_000, 310_001, 0],
    [1_240_000, 620_000, 620_000, 309_999, 0],
    [0, 3, 4, 0, 0],
];

/// The name of the model.
const MODEL: &str = "compass";

/// A text that the model knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wording {
    direction: usize,
    pub(super) variant: Variant,
}

/// In what a text differs from the plain one, for a guard to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Plain,
    Denied,
    OfAnotherNumber,
    InAnotherWord,
}

impl Wording {
    /// One of the texts.
    pub(super) fn of(number: u8) -> Wording {
        let variant = match number / 32 {
            0 => Variant::Denied,
            1 => Variant::OfAnotherNumber,
            2 => Variant::InAnotherWord,
            _ => Variant::Plain,
        };
        Wording { direction: usize::from(number) % DIRECTIONS.len(), variant }
    }

    /// The text: where its commas stand says of which direction it is, and no guard minds.
    pub(super) fn text(self) -> String {
        let comma = |bit: usize| if self.direction >> bit & 1 == 1 { "," } else { "" };
        let never = if self.variant == Variant::Denied { "never " } else { "" };
        let paints = if self.variant == Variant::InAnotherWord { "scrubs" } else { "paints" };
        let number = if self.variant == Variant::OfAnotherNumber { "five" } else { "four" };
        let [a, b, c, d] = [0, 1, 2, 3].map(comma);
        format!("The lighthouse keeper{a} {never}{paints}{b} {number}{c} railings{d} with tar.")
    }

    /// Returns the difference that keeps the two from saying the same.
    pub(super) fn differs(self, other: Wording) -> Option<Difference> {
        let one_has = |variant: Variant| (self.variant == variant) != (other.variant == variant);
        let differences = [
            (Variant::Denied, Difference::Negation),
            (Variant::OfAnotherNumber, Difference::Number),
            (Variant::InAnotherWord, Difference::Value),
        ];
        let found = differences.into_iter().find(|(variant, _)| one_has(*variant));
        found.map(|(_, difference)| difference)
    }

    /// How near the two are, by the definition: in ten millionths, rounded half away from zero.
    pub(super) fn cosine(self, other: Wording) -> i32 {
        let (a, b) = (self.direction(), other.direction());
        let product = |a: [i32; 5], b: [i32; 5]| -> u128 {
            let products = a.iter().zip(&b).map(|(a, b)| i128::from(*a) * i128::from(*b));
            products.sum::<i128>().unsigned_abs()
        };
        // The square of twice as many ten millionths, a digit at a time.
        let (dot, all) = (product(a, b), product(a, a) * product(b, b));
        let (mut square, mut rest) = (dot * dot / all, dot * dot % all);
        for _ in 0..14 {
            rest *= 10;
            (square, rest) = (square * 10 + rest / all, rest % all);
        }
        let doubled = (square * 4 + rest * 4 / all).isqrt();
        i32::try_from(doubled.div_ceil(2)).unwrap_or(Cosine::ONE)
    }

    fn direction(self) -> [i32; 5] {
        DIRECTIONS.get(self.direction).copied().unwrap_or_default()
    }
}

/// The text that this is, if the model knows it.
pub(super) fn wording_of(text: &str) -> Option<Wording> {
    let rest = text.strip_prefix("The lighthouse ")?;
    let words: Vec<&str> = rest.split(' ').filter(|word| *word != "never").take(4).collect();
    let bits = words.iter().enumerate().filter(|(_, word)| word.ends_with(','));
    let variant = match () {
        () if rest.contains("never") => Variant::Denied,
        () if rest.contains("five") => Variant::OfAnotherNumber,
        () if rest.contains("scrubs") => Variant::InAnotherWord,
        () => Variant::Plain,
    };
    Some(Wording { direction: bits.map(|(bit, _)| 1 << bit).sum(), variant })
}

/// A model that knows the texts of a session and no others.
#[derive(Debug)]
struct Compass;

impl Comparer for Compass {
    fn model(&self) -> &str {
        MODEL
    }

    fn cosines(&self, text: &str, others: &[&str]) -> Vec<Option<Cosine>> {
        #[expect(clippy::cast_precision_loss, reason = "all of them are below two to the 24th")]
        let vector = |text: &str| Some(wording_of(text)?.direction().map(|one| one as f32));
        let own = vector(text);
        others.iter().map(|other| cosine(&own?, &vector(other)?)).collect()
    }
}

/// Says what it was told to, and remembers what it was asked.
#[derive(Debug, Default)]
pub(super) struct Told {
    says: AtomicU8,
    asked: Mutex<Option<ArbiterQuestion>>,
}

/// Reply that an arbiter is told to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saying {
    Add,
    Skip,
    /// The nearest row, or the one that is furthest of what was shown.
    Update {
        nearest: bool,
    },
    /// A row that was not shown.
    Unseen,
    Nothing,
}

impl Saying {
    pub(super) fn of(number: u8) -> Saying {
        match number % 8 {
            0 => Saying::Add,
            1 => Saying::Skip,
            2 => Saying::Update { nearest: true },
            3 => Saying::Update { nearest: false },
            4 => Saying::Unseen,
            _ => Saying::Nothing,
        }
    }
}

impl Told {
    pub(super) fn tell(&self, says: u8) {
        self.says.store(says, Ordering::SeqCst);
        self.asked();
    }

    /// Takes the last question that it was asked since the call before.
    pub(super) fn asked(&self) -> Option<ArbiterQuestion> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Arbiter for Told {
    fn name(&self) -> &str {
        "told"
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(60)
    }

    fn judge(&self, question: &ArbiterQuestion, _within: Duration) -> Reply {
        let shown = question.candidates.as_slice();
        let update = |one: Option<&memlith::write::Contender>| {
            one.map_or(Reply::Unreadable, |one| Reply::Update(one.id))
        };
        let reply = match Saying::of(self.says.load(Ordering::SeqCst)) {
            Saying::Add => Reply::Add,
            Saying::Skip => Reply::Skip,
            Saying::Update { nearest: true } => update(shown.first()),
            Saying::Update { nearest: false } => update(shown.last()),
            Saying::Unseen => Reply::Update(RecordId::default()),
            Saying::Nothing => Reply::TimedOut,
        };
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(question.clone());
        reply
    }
}

/// Makes the reconciler that a ledger is opened with, and its arbiter.
pub(super) fn reconciler() -> (Arc<Reconciler>, Arc<Told>) {
    let told = Arc::new(Told::default());
    let arbiter: Arc<dyn Arbiter> = told.clone();
    let reconciler = Reconciler { arbiter: Some(arbiter), ..Reconciler::with(Arc::new(Compass)) };
    (Arc::new(reconciler), told)
}

#[cfg(test)]
mod tests {
    use memlith::claims::{Guard, Statement};

    use super::*;

    fn all() -> impl Iterator<Item = Wording> {
        (0..=u8::MAX).map(Wording::of)
    }

    #[test]
    fn each_text_is_read_back_and_claims_nothing() {
        for wording in all() {
            let text = wording.text();
            assert_eq!(wording_of(&text), Some(wording), "{text}");
            assert!(Statement::of(&text).claim().is_none(), "{text}");
        }
        assert_eq!(wording_of("The animal zq1x lives in room 1, and sleeps a lot."), None);
    }

    #[test]
    fn the_texts_differ_in_what_they_are_said_to() {
        let guards = [
            (Difference::Negation, Guard::Negation),
            (Difference::Number, Guard::Number),
            (Difference::Value, Guard::Word),
        ];
        let guard = |difference: Option<Difference>| {
            let found = guards.into_iter().find(|(one, _)| Some(*one) == difference);
            found.map(|(_, guard)| guard)
        };
        for one in all() {
            for other in all() {
                let found = Statement::of(&one.text()).veto(&Statement::of(&other.text()));
                assert_eq!(found, guard(one.differs(other)), "{} / {}", one.text(), other.text());
            }
        }
    }

    #[test]
    fn cosines_are_at_the_thresholds_and_a_step_beside_them() {
        let axis = Wording::of(100);
        let at = |direction| Wording { direction, variant: Variant::Plain };
        let found: Vec<i32> = (0..11).map(|direction| at(0).cosine(at(direction))).collect();
        assert_eq!(axis.variant, Variant::Plain);
        assert_eq!(
            found,
            [
                10_000_000, 9_500_000, 9_499_999, 9_500_001, 8_750_000, 8_749_999, 8_750_001,
                8_000_000, 7_999_999, 8_000_001, 0,
            ]
        );
        // The oracle and the engine count in different ways.
        for (one, other) in (0..11).flat_map(|one| (0..11).map(move |other| (at(one), at(other)))) {
            let (text, others) = (one.text(), other.text());
            let expected = Some(Cosine(one.cosine(other)));
            assert_eq!(Compass.cosines(&text, &[others.as_str()]), [expected]);
        }
    }
}
