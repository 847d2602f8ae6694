use std::collections::BTreeMap;
use std::sync::LazyLock;

use memlith_text::Feature;
use memlith_text::Token;

/// The word that turns a statement round, where `token` is one: its pair, and which of the
/// two it is.
///
/// Forms are "PAIR+" and "PAIR-", so that the other side's form is known.
pub(crate) fn opposite_at(token: &Token) -> Option<Feature> {
    let form = opposite_of(&token.lower)?;
    Some(Feature { form, range: token.range.clone() })
}

/// The form of a word that turns a statement round.
pub(crate) fn opposite_of(word: &str) -> Option<String> {
    let (pair, sign) = BY_WORD.get(word)?;
    Some(format!("{pair}{sign}"))
}

/// The pair of each word, the first where it is of several, and its side.
static BY_WORD: LazyLock<BTreeMap<&str, (usize, char)>> = LazyLock::new(|| {
    let mut by_word = BTreeMap::new();
    for (pair, (plus, minus)) in PAIRS.iter().enumerate() {
        for (words, sign) in [(plus, '+'), (minus, '-')] {
            for word in *words {
                by_word.entry(*word).or_insert((pair, sign));
            }
        }
    }
    by_word
});

/// The form of the other side of a pair.
pub(crate) fn other_side(form: &str) -> String {
    let pair = form.trim_end_matches(['+', '-']);
    let sign = if form.ends_with('+') { '-' } else { '+' };
    format!("{pair}{sign}")
}

/// Words that say the opposite of each other, with their forms. Our own list; a pair that is
/// missing costs a contest, no more.
#[rustfmt::skip]
const PAIRS: &[(&[&str], &[&str])] = &[
    (&["before", "until", "till"], &["after", "since"]),
    (&["to", "into", "towards"], &["from"]),
    (&["increase", "increases", "increased", "increasing", "raise", "raises", "raised", "rise", "rises", "rose", "grow", "grows", "grew", "grown", "growing", "gained", "gains", "gain"],
     &["decrease", "decreases", "decreased", "decreasing", "lower", "lowers", "lowered", "reduce", "reduces", "reduced", "fall", "falls", "fell", "fallen", "drop", "drops", "dropped", "shrink", "shrinks", "shrank", "cut", "lost", "loses", "lose"]),
    (&["enable", "enables", "enabled", "enabling", "activate", "activated", "active"],
     &["disable", "disables", "disabled", "disabling", "deactivate", "deactivated", "inactive"]),
    (&["above", "over", "exceeds", "exceed", "higher", "more", "greater", ">"],
     &["below", "under", "beneath", "less", "fewer", "<"]),
    (&["on"], &["off"]),
    (&["up"], &["down"]),
    (&["in", "inside", "indoors"], &["out", "outside", "outdoors"]),
    (&["with", "including"], &["excluding"]),
    (&["allow", "allows", "allowed", "permit", "permits", "permitted"],
     &["deny", "denies", "denied", "forbid", "forbids", "forbidden", "block", "blocks", "blocked", "prohibits", "prohibited", "banned", "disallow", "disallows", "disallowed"]),
    (&["open", "opens", "opened"], &["close", "closes", "closed", "shut", "shuts"]),
    (&["start", "starts", "started", "begin", "begins", "began"],
     &["stop", "stops", "stopped", "end", "ends", "ended", "finish", "finishes", "finished"]),
    (&["accept", "accepts", "accepted", "approve", "approves", "approved"],
     &["reject", "rejects", "rejected", "decline", "declines", "declined", "refuse", "refuses", "refused"]),
    (&["maximum", "max", "most"], &["minimum", "min", "least"]),
    (&["first", "earliest", "oldest"], &["last", "latest", "newest"]),
    (&["always"], &["never", "rarely", "seldom"]),
    (&["early", "earlier"], &["late", "later"]),
    (&["left"], &["right"]),
    (&["add", "adds", "added"], &["remove", "removes", "removed", "delete", "deletes", "deleted", "drops"]),
    (&["public"], &["private"]),
    (&["synchronous", "sync", "synchronously"], &["asynchronous", "async", "asynchronously"]),
    (&["ascending"], &["descending"]),
    (&["input", "inputs", "inbound", "incoming"], &["output", "outputs", "outbound", "outgoing"]),
    (&["upstream"], &["downstream"]),
    (&["read", "reads", "reading", "read-only", "readonly"], &["write", "writes", "writing", "writable", "read-write"]),
    (&["encrypt", "encrypts", "encrypted"], &["decrypt", "decrypts", "decrypted", "unencrypted", "plaintext"]),
    (&["buy", "buys", "bought", "buying"], &["sell", "sells", "sold", "selling"]),
    (&["love", "loves", "like", "likes", "enjoy", "enjoys", "loved", "liked"],
     &["hate", "hates", "dislike", "dislikes", "detest", "detests", "hated", "disliked", "avoids", "avoid"]),
    (&["passes", "pass", "passed", "passing", "succeeds", "succeeded", "succeed", "works"],
     &["fails", "fail", "failed", "failing", "broken"]),
    (&["safe"], &["unsafe", "dangerous"]),
    (&["required", "mandatory", "compulsory", "require", "requires"], &["optional", "voluntary"]),
    (&["valid"], &["invalid"]),
    (&["possible"], &["impossible"]),
    (&["true"], &["false"]),
    (&["hot", "warm"], &["cold", "cool"]),
    (&["fast", "faster", "quick", "quicker"], &["slow", "slower"]),
    (&["full"], &["empty"]),
    (&["online"], &["offline"]),
    (&["client", "clients"], &["server", "servers"]),
    (&["manual", "manually", "by hand"], &["automatic", "automatically", "automated"]),
    (&["internal"], &["external"]),
    (&["better", "best"], &["worse", "worst"]),
    (&["longer", "long"], &["shorter", "short"]),
    (&["big", "bigger", "large", "larger"], &["small", "smaller", "tiny"]),
    (&["arrive", "arrives", "arrived", "joined", "joins", "enters", "entered"],
     &["leave", "leaves", "departs", "departed", "quit", "exits", "exited"]),
    (&["single", "unmarried"], &["married"]),
    (&["alive"], &["dead", "died"]),
    (&["present"], &["absent"]),
    (&["agree", "agrees", "agreed"], &["disagree", "disagrees", "disagreed"]),
    (&["import", "imports", "imported"], &["export", "exports", "exported"]),
    (&["push", "pushes", "pushed"], &["pull", "pulls", "pulled"]),
    (&["send", "sends", "sent"], &["receive", "receives", "received"]),
    (&["borrow", "borrows", "borrowed", "borrowing"], &["lend", "lends", "lent", "lending"]),
    (&["win", "wins", "won"], &["defeat", "defeated"]),
    (&["stable"], &["unstable", "flaky"]),
    (&["supported", "supports", "support"], &["unsupported", "deprecated"]),
    (&["north", "northern"], &["south", "southern"]),
    (&["east", "eastern"], &["west", "western"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pair_says_the_same_on_both_sides() {
        for (plus, minus) in PAIRS {
            assert!(plus.iter().all(|word| !minus.contains(word)), "{plus:?}");
        }
        assert_eq!(other_side("12+"), "12-");
        assert_eq!(other_side(&other_side("12+")), "12+");
    }
}
