/// A statement of a text: entity, predicate and value, with what turns it round.
///
/// All words are in the form of [`memlith_text::normalised`], without articles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The entity that it is about; `self` for the one whose notes these are: "I", "the user", or
    /// nobody named at all.
    pub entity: String,
    /// The property, by one name for all the ways to say it: "lives_in".
    pub predicate: String,
    /// The property's value.
    pub value: String,
    /// How many values the property has at a time.
    pub cardinality: Cardinality,
    /// Whether it says that the value is not so.
    pub negated: bool,
    /// Whether it speaks of what has been: such a claim ends nothing.
    pub past: bool,
    /// Further details, such as since when: they are more than its slot holds.
    pub detail: String,
    /// How it names what it is about.
    pub about: About,
}

/// How many values a property has at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cardinality {
    /// One: another value ends the one that stands.
    Single,
    /// Many: another value stands beside it.
    Many,
    /// The grammar does not know: no slot, and nothing is ended.
    Unknown,
}

/// How a claim names what it is about: how sure it is that two claims mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// By a name or a description.
    Named,
    /// As "I" or "my": whoever speaks.
    Speaker,
    /// As "the user", or not at all: the one whose notes these are.
    Reader,
    /// By a pronoun: the same one only among notes about one person.
    Pronoun,
}

impl Claim {
    /// The version of the grammar; it rises with any change of what a text claims, and of what
    /// [`crate::verdict`] makes of two texts. A decision names the one that made it.
    pub const GRAMMAR: u32 = 6;

    /// Whether a slot may be made of it: it says what is so, or isn't, and nothing else, and
    /// the number of values is known.
    #[must_use]
    pub fn makes_slot(&self) -> bool {
        !self.past && self.detail.is_empty() && self.cardinality != Cardinality::Unknown
    }

    /// Whether both speak of the same property of the same thing.
    #[must_use]
    pub fn same_slot(&self, other: &Claim) -> bool {
        self.entity == other.entity && self.predicate == other.predicate
    }

    /// Whether both say the same value of the same property, or both that it isn't so, at one
    /// time: what one of them says besides may differ.
    pub(crate) fn agrees(&self, other: &Claim) -> bool {
        self.same_slot(other)
            && self.value == other.value
            && self.negated == other.negated
            && self.past == other.past
    }
}
