use memlith::RecordId;
use memlith::write::TaskResult;

/// Statements and patterns of one job that are worth keeping: most often none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// Statements of what is so, of the project or the world.
    pub facts: Vec<Statement>,
    /// Statements a person made of themself: who they are, what they prefer.
    pub user_facts: Vec<Statement>,
    /// How something is done.
    pub patterns: Vec<Pattern>,
    /// How a task ended.
    pub outcome: Option<TaskOutcome>,
    /// Numbers of what was left out, by reason.
    pub dropped: Dropped,
}

/// A sentence, and the turns that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The words.
    pub text: String,
    /// The turns, ascending, each once; at least one.
    pub evidence: Vec<RecordId>,
    /// Whether the words stand so in one turn, which is the only evidence: they are its
    /// speaker's. Otherwise a model worded them.
    pub lifted: bool,
}

/// How something is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// A short name; may be empty.
    pub name: String,
    /// When to use it; may be empty.
    pub trigger: String,
    /// Conditions that have to hold before.
    pub preconditions: Vec<String>,
    /// Steps to do, in order.
    pub steps: Vec<String>,
    /// Mistakes that are made easily.
    pub gotchas: Vec<String>,
    /// How to tell that it went well.
    pub success_criteria: Vec<String>,
    /// Whether it was seen to go well (tests, exit codes, a person's word), to fail, or neither.
    pub verified: Option<bool>,
    /// The turns, ascending, each once; at least one.
    pub evidence: Vec<RecordId>,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOutcome {
    /// How it ended.
    pub result: TaskResult,
    /// Whether that was verified: by a test, an exit code, or a person's word.
    pub verified: bool,
    /// The events of the task, in a sentence.
    pub summary: String,
    /// Whether a model worded the summary: then it is worth a memory of its own, an episode.
    pub worded: bool,
    /// The turns, ascending, each once; at least one.
    pub evidence: Vec<RecordId>,
}

/// How many items were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Without words.
    pub blank: u32,
    /// More than a reply may have of their kind.
    pub over_limit: u32,
    /// Without evidence, or with evidence that doesn't exist.
    pub uncited: u32,
    /// With an identifier that the evidence doesn't have.
    pub invented: u32,
    /// Keys that are unknown.
    pub unknown_keys: u32,
    /// Sentences in a language that the rules don't read.
    pub other_language: u32,
}

impl Dropped {
    /// The items that were left out; unknown keys and other languages are none.
    #[must_use]
    pub fn total(&self) -> u32 {
        let all = [self.blank, self.over_limit, self.uncited, self.invented];
        all.into_iter().fold(0, u32::saturating_add)
    }
}
