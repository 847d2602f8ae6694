use super::preference::LANGUAGES;
use memlith_text::{Sort, Word};

/// A noun for what a thing has one of at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noun {
    /// The one name of the property.
    pub(crate) predicate: &'static str,
    kind: Kind,
}

/// The kind of values that a property has: what doesn't fit describes it and names no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Amount,
    Moment,
    /// With a capital, a digit or a sign in it.
    Name,
    /// Any words but descriptions.
    Words,
    /// Any words but vague ones.
    State,
}

impl Noun {
    /// The noun, by any of its names.
    pub(crate) fn of(name: &str) -> Option<Noun> {
        let tables = [
            (Kind::Amount, AMOUNTS),
            (Kind::Moment, MOMENTS),
            (Kind::Name, NAMES),
            (Kind::Words, WORDS),
            (Kind::State, STATES),
        ];
        tables.into_iter().find_map(|(kind, table)| {
            let names = table.iter().find(|names| names.contains(&name))?;
            names.first().map(|predicate| Noun { predicate, kind })
        })
    }

    /// Whether `words` can be a value of it.
    pub(crate) fn takes(self, words: &[Word]) -> bool {
        let words = match words {
            [first, rest @ ..] if first.is_in(&["in", "on", "at", "by", "under"]) => rest,
            words => words,
        };
        let Some(first) = words.first() else { return false };
        let named = |word: &Word| word.proper || word.sort == Sort::Amount;
        let language = LANGUAGES.contains(&first.text.as_str());
        match self.kind {
            Kind::Amount => {
                let measured = first.proper && first.text.contains(|c: char| c.is_ascii_digit());
                first.sort == Sort::Amount || measured
            }
            Kind::Moment => words.iter().any(Word::is_moment),
            Kind::Name => words.iter().any(named) && (!language || self.predicate == "language"),
            Kind::Words => words.iter().any(named) || !is_description(words),
            Kind::State => !first.is_in(VAGUE) && !first.is_moment(),
        }
    }
}

/// Whether words say what something is like, and don't name it.
fn is_description(words: &[Word]) -> bool {
    let Some(last) = words.last() else { return true };
    let like = |word: &Word| {
        let ending = ["ed", "ing", "able", "ible", "ous", "ful", "less"];
        let formed = word.text.len() > 4 && ending.iter().any(|end| word.text.ends_with(end));
        word.is_in(DESCRIPTIONS) || (word.sort == Sort::Plain && formed)
    };
    words.iter().all(like) || (words.len() > 1 && like(last)) || last.is_moment()
}

// Sources: the four tables are our own, from notes about people, services and projects.
// What one may have several of (a child, a friend, a skill, a tag, a goal) is in none.

#[rustfmt::skip]
const AMOUNTS: &[&[&str]] = &[
    &["age"], &["height"], &["weight"], &["blood_pressure", "blood pressure"],
    &["heart_rate", "heart rate", "pulse"], &["salary", "pay"], &["rent"], &["dose", "dosage"],
    &["budget"], &["price", "cost", "fee"], &["discount"], &["sprint_length", "sprint length"],
    &["capacity"], &["headcount"], &["sla"], &["slo"], &["error_budget", "error budget"],
    &["port"], &["timeout", "time limit"], &["interval"], &["limit", "cap", "quota"], &["size"],
    &["ttl", "lifetime"], &["rate", "learning rate"], &["coverage"],
    &["line_length", "line length"], &["width"], &["length"], &["depth"], &["threshold"],
    &["retention", "retention period"], &["percentage"], &["latency"], &["throughput"],
    &["uptime"], &["bandwidth"], &["temperature"], &["speed"], &["score"], &["balance"],
    &["total"], &["average"], &["connection"], &["retry"], &["thread"], &["worker"], &["node"],
    &["msrv"], &["version", "latest release", "current release"], &["number"], &["count"],
    &["phone", "phone number"], &["goal weight"], &["concurrency"], &["parallelism"],
    &["replica"], &["deposit"], &["tax"], &["bonus"], &["allowance"], &["distance"], &["duration"],
];

#[rustfmt::skip]
const MOMENTS: &[&[&str]] = &[
    &["birthday", "birth date", "date of birth", "birthdate"], &["deadline", "due date"],
    &["launch", "launch date", "go-live date"], &["release_date", "release date"],
    &["start_date", "start date"], &["end_date", "end date"], &["anniversary"],
    &["departure", "departure time"], &["arrival", "arrival time"], &["checkout time"],
    &["start_time", "start time"], &["bedtime"], &["frequency"], &["wedding date"],
    &["code freeze"], &["expiry", "expiry date", "expiration date"],
];

#[rustfmt::skip]
const NAMES: &[&[&str]] = &[
    &["name", "full name", "first name", "nickname"], &["surname", "last name", "family name"],
    &["spouse", "wife", "husband"], &["partner"], &["fiance", "fiancee"],
    &["manager", "boss", "supervisor", "line manager"], &["works_for", "employer"],
    &["lives_in", "home", "hometown", "home town", "residence"],
    &["email", "email address"], &["address", "home address", "office address", "postal address"],
    &["nationality"], &["language"], &["time_zone", "time zone", "zone"],
    &["blood_type", "blood type"], &["doctor", "gp", "physician"], &["dentist"], &["therapist"],
    &["landlord"], &["teacher"], &["car"], &["laptop", "computer", "machine"],
    &["band"], &["movie", "film"], &["book"], &["song"], &["team"], &["city"], &["country"],
    &["restaurant"], &["artist"], &["author"], &["airline"],
    &["lead", "leader", "tech lead"], &["owner"], &["ceo"], &["cto"], &["cfo"],
    &["captain"], &["chair"], &["president"], &["director"], &["maintainer"], &["coach"],
    &["product_manager", "product manager"], &["project_manager", "project manager"],
    &["on_call", "oncall engineer", "oncall"], &["codename", "code name"],
    &["meeting_room", "meeting room", "room"], &["license"], &["domain", "domain name"],
    &["homepage"], &["url"], &["hostname", "host"], &["venue"], &["vendor"], &["supplier"],
    &["provider"], &["carrier"], &["bank"], &["insurer"], &["region"], &["database"],
    &["queue", "message queue"], &["ci", "ci provider"], &["hosting", "hosting provider"],
    &["model"], &["path"], &["endpoint"], &["username", "user name", "login"], &["key"],
    &["mentor"], &["assistant"], &["school"], &["university"], &["bus"], &["successor"],
];

#[rustfmt::skip]
const WORDS: &[&[&str]] = &[
    &["occupation", "job", "profession"], &["title", "job title", "role", "position"],
    &["diet"], &["religion"], &["browser"], &["editor", "ide"], &["shell"], &["terminal"],
    &["color"], &["food"], &["sport"], &["drink"], &["meal"], &["season"], &["animal"], &["game"],
    &["dish"], &["seat"], &["theme"], &["font"], &["keyboard"], &["layout", "keyboard layout"],
    &["currency"], &["password", "passphrase"], &["branch"], &["framework"],
    &["compiler"], &["package_manager", "package manager"],
    &["build_tool", "build tool", "build system"], &["test_runner", "test runner"], &["linter"],
    &["formatter"], &["preferred_contact", "contact method", "contact channel"], &["style", "code style"], &["indentation", "indent"],
    &["encoding"], &["locale"], &["format"], &["os", "operating system"], &["protocol"],
    &["algorithm"], &["orm"], &["platform"], &["gender"], &["dialect"], &["instrument"],
];

const STATES: &[&[&str]] = &[
    &["plan", "tier", "subscription"],
    &["status", "phase", "stage"],
    &["priority"],
    &["severity"],
    &["level", "log level", "logging level"],
];

/// Words that say nothing of a state.
const VAGUE: &[&str] = &[
    "good",
    "bad",
    "great",
    "fine",
    "ok",
    "nice",
    "unknown",
    "important",
    "wrong",
    "right",
    "clear",
    "different",
    "same",
    "vague",
    "obvious",
    "unclear",
    "bad",
    "here",
    "there",
    "ready",
];

/// Words that say what a thing is like, whatever the thing is.
#[rustfmt::skip]
const DESCRIPTIONS: &[&str] = &[
    "good", "bad", "great", "fine", "ok", "nice", "new", "old", "important", "wrong", "right",
    "correct", "mandatory", "optional", "unknown", "ready", "public", "private", "secret",
    "broken", "fast", "slow", "expensive", "cheap", "free", "stable", "unstable", "tight", "empty",
    "full", "valid", "invalid", "safe", "unsafe", "easy", "heavy", "strict", "loose", "generous",
    "here", "there", "online", "offline", "clear", "big", "small", "long", "short", "soon", "late",
    "early", "down", "up", "on", "off", "gone", "weak", "strong", "hard", "simple", "complex",
    "different", "same", "visible", "hidden", "clean", "dirty", "ugly", "pretty", "boring", "fun",
    "sick", "away", "out", "back", "open", "true", "false", "green-ish", "obvious", "vague",
];
