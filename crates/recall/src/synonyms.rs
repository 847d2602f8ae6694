//! Words that say the same of a thing: irregular forms, and the words by which a question asks
//! for a property that another word states.
//!
//! The lists are our own: words of which one can stand for the other in an answer, never two of
//! one kind (a dog is no cat) nor opposites. They are closed: what is in none has its neighbours
//! alone ([`crate::neighbours`]), which mean about the same and cover nothing.

use crate::analysis::{Stems, Word};

/// The terms that say what `term` says, each once, in the order of the lists.
///
/// Cost: no more words are stemmed than begin as the term does, and those of its groups: a
/// process that asks one question pays for that one alone.
pub(crate) fn of(stems: &Stems, term: &str) -> Vec<String> {
    let stem = |lower: &str| {
        let plain = lower.bytes().all(|byte| byte.is_ascii_lowercase());
        stems.term(&Word { lower, position: 0, whole: false, plain })
    };
    let begins = |word: &str| word.bytes().take(2).eq(term.bytes().take(2));
    let mut found: Vec<String> = Vec::new();
    for group in GROUPS {
        if !group.split(' ').any(|word| begins(word) && stem(word) == term) {
            continue;
        }
        for other in group.split(' ').map(stem) {
            if other != term && !found.contains(&other) {
                found.push(other);
            }
        }
    }
    found
}

/// Words that say the same, a group a line.
#[rustfmt::skip]
const GROUPS: &[&str] = &[
    // Forms that no stem brings together.
    "write wrote written author writer", "choose chose chosen choice pick selected",
    "buy bought purchase buyer", "sell sold sale seller", "build built builder", "run ran",
    "drive drove driven driver", "pay paid payment payer", "keep kept retain retention",
    "hold held", "lead led leader", "send sent sender", "teach taught teacher",
    "give gave given", "sleep slept", "begin began begun start", "speak spoke spoken",
    "eat ate eaten", "drink drank drunk", "know knew known", "meet met meeting",
    "find found finder", "win won winner", "lose lost loss", "grow grew grown growth",
    "fall fell fallen", "rise rose risen", "draw drew drawn", "wear wore worn", "see saw seen",
    "break broke broken", "bring brought", "come came", "leave left departure", "fly flew flown",
    "swim swam", "sing sang sung singer", "ride rode ridden", "grind ground", "feed fed",
    "spend spent", "lend lent", "catch caught", "think thought", "throw threw thrown",
    "hide hid hidden", "steal stole stolen", "freeze froze frozen", "forget forgot forgotten",
    "child children kid", "man men", "woman women", "person people", "foot feet", "tooth teeth",
    "approve approval approver", "decide decision", "deploy deployment", "prefer preference",
    "repair fix mend", "maintain maintenance maintainer", "review reviewer",
    // Clipped forms.
    "demo demonstration", "repo repository", "env environment", "db database", "k8s kubernetes",
    "i18n internationalization", "l10n localization", "a11y accessibility", "o11y observability",
    "auth authentication", "auth authorization", "prod production", "dev development", "app application",
    "admin administrator", "info information", "docs documentation", "spec specification",
    "perf performance", "param parameter", "msg message", "lib library", "pkg package",
    "dir directory", "infra infrastructure", "prefs preferences", "temp temporary temperature",
    "photo photograph", "lab laboratory", "exam examination", "gym gymnasium", "flu influenza",
    "fridge refrigerator", "vet veterinarian", "mic microphone", "limo limousine", "uni university",
    "maths math mathematics", "memo memorandum", "promo promotion", "intro introduction",
    // Who has it, does it or answers for it.
    "owner owns owned belong responsible charge maintain",
    "responsible accountable charge lead manage head",
    "boss manager supervisor report", "doctor physician gp", "medicine medication pill drug tablet",
    "dentist dental", "attorney lawyer solicitor counsel",
    "spouse partner married wife", "spouse partner married husband", "job work profession occupation works role employed",
    "employer company works employed", "pager call oncall rota", "team squad",
    // Where and how to reach.
    "live lives home resides residence address based",
    "located location place based situated", "phone telephone mobile number",
    "email mail", "room venue", "stored kept storage",
    "host hosted server machine", "park parked parking", "born birthplace birthday birth",
    // When.
    "deadline due", "close closes shut closing", "open opens opening", "start begin starts starting",
    "end finish ends finishes", "arrive arrival", "depart departure departs",
    "hour oclock", "schedule scheduled planned slot", "birthday born",
    "holiday vacation", "appointment meeting",
    // How much.
    "price cost costs priced fee charge", "cost costs price paid expensive", "pay salary earn earns wage",
    "rent rental", "heavy weigh weighs weight", "tall height high", "big size large",
    "long length duration takes lasts", "deep depth", "wide width", "fast speed quick",
    "old age aged", "far distance away", "limit maximum cap max quota", "budget allowance spending",
    "temperature degrees",  "capacity holds fits seats",
    // What it is, has and does.
    "allergic allergy intolerant", "food diet meal", "colour color painted",
    "language speaks", "database store datastore", "folder directory path",
    "password passphrase", "version release", "ci pipeline", "editor ide",
    "framework library", "configuration config setting settings",
    "listens port", "use uses using used", "title called named renamed",
    "called name named renamed", "favourite favorite prefers likes loves best", "prefer prefers likes rather",
    "car vehicle drives", "bike bicycle", "bus coach", "train rail",
    "study studies major degree subject", "cause reason because why",
    "replace replaced successor instead", "renew renewal expires expiry", "contain contains includes",
    "remove removed delete deleted drop dropped", "error failure fails bug", "forbidden banned prohibited",
    "switch switched moved migrated changed", "move moved relocate relocated",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_properties_are_found_by_each_other() {
        let stems = Stems::new();
        for (term, other) in [
            ("wrote", "written"),
            ("heavi", "weigh"),
            ("physician", "doctor"),
            ("k8s", "kubernet"),
            ("demonstr", "demo"),
        ] {
            let found = of(&stems, term);
            assert!(found.iter().any(|found| found == other), "{term} {found:?}");
        }
        assert!(of(&stems, "umbrella").is_empty());
        assert!(of(&stems, "cost").iter().all(|found| found != "cost"));
    }
}
