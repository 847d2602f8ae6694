use crate::stem::stem;

/// The one form of a word for all its endings and for the words that mean the same, and
/// whether it is a past form.
pub(super) fn lemma(word: &str) -> (String, bool) {
    if let Some((_, base)) = IRREGULAR.iter().find(|(past, _)| past.contains(&word)) {
        return (canonical(base), true);
    }
    let past = word.len() > 4 && word.ends_with("ed") && !NOT_PAST.contains(&word);
    let base = if past { without_ed(word) } else { stem(word) };
    (canonical(&base), past)
}

fn without_ed(word: &str) -> String {
    let base = word.strip_suffix("ed").unwrap_or(word);
    let doubled = base.as_bytes().last_chunk::<2>();
    let doubled = doubled.is_some_and(|[a, b]| a == b && !matches!(a, b's' | b'l' | b'e'));
    let base = if doubled { base.get(..base.len() - 1).unwrap_or(base) } else { base };
    let base = base.strip_suffix('i').map_or(base.to_owned(), |base| format!("{base}y"));
    base.trim_end_matches('e').to_owned()
}

fn canonical(base: &str) -> String {
    let row = SYNONYMS.iter().find(|row| row.contains(&base));
    row.and_then(|row| row.first()).copied().unwrap_or(base).to_owned()
}

const NOT_PAST: &[&str] = &["speed", "need", "indeed", "exceed", "proceed", "embed", "shared"];

/// Past forms that don't end in "-ed", and their stems.
const IRREGULAR: &[(&[&str], &str)] = &[
    (&["went", "gone"], "go"),
    (&["ran"], "run"),
    (&["built"], "build"),
    (&["wrote", "written"], "writ"),
    (&["rewrote", "rewritten"], "rewrit"),
    (&["chose", "chosen"], "choos"),
    (&["kept"], "keep"),
    (&["held"], "hold"),
    (&["led"], "lead"),
    (&["sent"], "send"),
    (&["drove", "driven"], "driv"),
    (&["taught"], "teach"),
    (&["sold"], "sell"),
    (&["paid"], "pay"),
    (&["took", "taken"], "tak"),
    (&["gave", "given"], "giv"),
    (&["slept"], "sleep"),
    (&["sat"], "sit"),
    (&["began", "begun"], "begin"),
    (&["bought"], "buy"),
    (&["spoke", "spoken"], "speak"),
    (&["drank"], "drink"),
    (&["ate", "eaten"], "eat"),
    (&["knew", "known"], "know"),
    (&["met"], "meet"),
    (&["made"], "mak"),
    (&["found"], "find"),
    (&["won"], "win"),
    (&["lost"], "los"),
    (&["had"], "hav"),
    (&["did", "done"], "do"),
    (&["was", "were"], "b"),
    (&["came"], "com"),
    (&["grew", "grown"], "grow"),
    (&["fell", "fallen"], "fall"),
    (&["rose", "risen"], "ris"),
    (&["shrank", "shrunk"], "shrink"),
    (&["left"], "leav"),
    (&["drew", "drawn"], "draw"),
    (&["worn", "wore"], "wear"),
    (&["saw", "seen"], "see"),
    (&["stood"], "stand"),
    (&["slid"], "slip"),
    (&["rebuilt"], "rebuild"),
    (&["brought"], "bring"),
    (&["sank", "sunk"], "sink"),
    (&["became", "become"], "becom"),
    (&["withdrew", "withdrawn"], "withdraw"),
    (&["sped"], "speed"),
    (&["overtook"], "overtak"),
    (&["dealt"], "deal"),
    (&["hung"], "hang"),
    (&["hidden"], "hid"),
    (&["swapped", "swopped"], "swap"),
];

/// Stems that mean the same where a thing and its property are named; the first one stands for
/// all. Our own list: agent and action nouns with their verbs, and common short forms.
const SYNONYMS: &[&[&str]] = &[
    &["own", "owner", "ownership"],
    &["maintain", "maintainer"],
    &["lead", "leader", "leadership"],
    &["manag", "manager"],
    &["responsibl", "responsibility"],
    &["deploy", "deployment"],
    &["document", "documentation", "doc"],
    &["configuration", "config"],
    &["lint", "linter"],
    &["test", "tester"],
    &["build", "builder"],
    &["need", "requir", "requirement"],
    &["secure", "security"],
    &["call", "nam"],
    &["liv", "resid"],
    &["host", "hosting"],
    &["repository", "repo"],
    &["kubernete", "k8s"],
    &["postgres", "postgresql"],
    &["javascript", "js"],
    &["environment", "env"],
    &["favorit", "favourit"],
    &["pric", "cost"],
    &["memory", "ram"],
    &["begin", "start"],
    &["end", "finish"],
    &["driv", "driver"],
    &["coach", "coaching"],
    &["teach", "teacher"],
    &["approv", "approver", "approval"],
    &["review", "reviewer"],
    &["phone", "mobile"],
    &["photo", "picture"],
    &["bill", "billing"],
    &["keep", "retain", "retention"],
    &["expir", "expiry", "expiration", "lifetim"],
    &["weigh", "weight"],
    &["arriv", "arrival"],
    &["depart", "departur"],
    &["deliver", "delivery"],
    &["renew", "renewal"],
    &["pay", "payment"],
    &["subscrib", "subscription"],
    &["collect", "collection"],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_lemma() {
        for (left, right) in [
            ("hosted", "hosts"),
            ("stopped", "stops"),
            ("carried", "carries"),
            ("owner", "owns"),
            ("wrote", "writes"),
            ("stored", "storing"),
        ] {
            assert_eq!(lemma(left).0, lemma(right).0, "{left} {right}");
        }
        assert!(lemma("moved").1 && !lemma("speed").1);
    }
}
