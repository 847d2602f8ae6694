//! Fits the weights of the signals, and says how far to trust them.
//!
//! `cargo run --release -p memlith-recall --example fit -- DATASET.json [--vectors FILE|table]
//! [SIGNAL...]`: without the signals that are named; with vectors of turns and questions by
//! the built-in table, or by another model. `DATASET.json --texts` prints what that model is to
//! embed, a JSON string a line; its FILE has a JSON array of numbers, or `null`, for each
//! (`benches/embed`).
//!
//! Listwise softmax over the candidates of a question, its evidence the target, with
//! an L2 penalty (Z. Cao et al., "Learning to Rank", ICML 2007), by gradient descent
//! with Adam's steps (D. Kingma and J. Ba, 2015). Prints the figures of the checked-in
//! weights, of a fit on all dialogues, of fits that left the dialogue out they are
//! measured on, and what each signal is worth.

#![expect(clippy::indexing_slicing, reason = "every index is below the number of signals")]

mod dialogues;

use dialogues::Dialogue;
use memlith_log::Seq;
use memlith_recall::{ModelId, ModelVector, Signals, WEIGHTS};

const COUNT: usize = 16;
const STEPS: i32 = 200;
/// Of 0.001, 0.0015, 0.002, 0.003 and 0.005 the one that does best for dialogues left out.
const PENALTY: f64 = 1.5e-3;
/// Signals that dialogues tell nothing of, or too much: their weights are taken as they are
/// checked in.
const HELD: [&str; 1] = ["vector"];

type Weights = [f64; COUNT];

/// The part that a weight has in a fit.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// It is fitted.
    Fitted,
    /// It stays as it is.
    Held(f64),
}

/// A question with all its candidates.
struct List {
    dialogue: usize,
    multi_hop: bool,
    gold: usize,
    candidates: Vec<(Weights, bool)>,
}

fn main() {
    let path = std::env::args().nth(1).expect("the path of a data set");
    let json = std::fs::read_to_string(&path).expect("a data set that can be read");
    let mut dialogues = Dialogue::read_all(&json);
    let mut dropped: Vec<String> = std::env::args().skip(2).collect();
    match dropped.first().map(String::as_str) {
        Some("--texts") => return print_texts(&dialogues),
        Some("--vectors") => {
            embed(&mut dialogues, dropped.get(1).expect("`table`, or a file of vectors"));
            dropped.drain(..2);
        }
        Some(_) | None => {}
    }
    let lists: Vec<List> =
        dialogues.iter().enumerate().flat_map(|(at, d)| lists_of(at, d)).collect();
    let names = Signals::default().each().map(|(name, _)| name);
    let current = WEIGHTS.each().map(|(_, weight)| weight as f64 / 100.0);
    let all: Vec<&List> = lists.iter().collect();
    let used = names.map(|name| !dropped.iter().any(|dropped| dropped == name));

    print("checked in", figures(&all, &current));
    let used: Vec<Start> = (0..COUNT)
        .map(|at| match (used[at], HELD.contains(&names[at])) {
            (false, _) => Start::Held(0.0),
            (true, false) => Start::Fitted,
            (true, true) => Start::Held(current[at]),
        })
        .collect();
    let fitted = fit(&all, &used);
    print("fitted on all", figures(&all, &fitted));
    print("each dialogue by a fit on the others", left_out(&lists, &used));
    println!("\n{:16} {:>7} {:>7}   fitted without it, left out", "signal", "checked", "fitted");
    for at in (0..COUNT).filter(|at| used[*at] != Start::Held(0.0)) {
        let mut used = used.clone();
        used[at] = Start::Held(0.0);
        let name = format!("{:16} {:>7.2} {:>7.2}", names[at], current[at], fitted[at]);
        print(&name, left_out(&lists, &used));
    }
}

fn print_texts(dialogues: &[Dialogue]) {
    for text in dialogues.iter().flat_map(Dialogue::texts) {
        println!("{}", serde_json::Value::from(text));
    }
}

/// Gives turns and questions their vectors: by the built-in table, or those of a file.
fn embed(dialogues: &mut [Dialogue], path: &str) {
    if path == "table" {
        return dialogues.iter_mut().for_each(Dialogue::embed);
    }
    let file = std::fs::read_to_string(path).expect("vectors that can be read");
    let model = ModelId::new("of-a-file").expect("a name");
    let mut all = file.lines().map(|line| {
        let numbers: Option<Vec<f32>> = serde_json::from_str(line).expect("a vector a line");
        let vector = |numbers: Vec<f32>| ModelVector::of_floats(model.clone(), &numbers);
        numbers.map(|numbers| vector(numbers).expect("a vector"))
    });
    for dialogue in dialogues {
        let count = dialogue.texts().count();
        dialogue.embed_by(all.by_ref().take(count).collect::<Vec<_>>());
    }
}

/// The figures of every dialogue by weights that were fitted on the others.
fn left_out(lists: &[List], used: &[Start]) -> [f64; 6] {
    let dialogues = lists.last().map_or(0, |list| list.dialogue + 1);
    let mut sums = [0.0; 6];
    let hops = lists.iter().filter(|list| list.multi_hop).count().max(1) as f64;
    for dialogue in 0..dialogues {
        let (test, train): (Vec<&List>, Vec<&List>) =
            lists.iter().partition(|list| list.dialogue == dialogue);
        let share = test.len() as f64 / lists.len() as f64;
        let share_of_hops = test.iter().filter(|list| list.multi_hop).count() as f64 / hops;
        let figures = figures(&test, &fit(&train, used));
        let shares = [share, share, share, share, share, share_of_hops];
        for ((sum, figure), share) in sums.iter_mut().zip(figures).zip(shares) {
            *sum += share * figure;
        }
    }
    sums
}

fn lists_of(at: usize, dialogue: &Dialogue) -> Vec<List> {
    let list = |question: &dialogues::Question| {
        let hits = dialogue.ask(question, 400);
        let is_gold = |seq: &Seq| question.evidence.contains(seq);
        let signals = |signals: &Signals| signals.each().map(|(_, value)| value as f64 / 1e6);
        let mut candidates: Vec<(Seq, (Weights, bool))> =
            hits.iter().map(|hit| (hit.seq, (signals(&hit.signals), is_gold(&hit.seq)))).collect();
        candidates.sort_by_key(|(seq, _)| *seq);
        let candidates = candidates.into_iter().map(|(_, candidate)| candidate).collect();
        let multi_hop = question.category == 1;
        List { dialogue: at, multi_hop, gold: question.evidence.len(), candidates }
    };
    dialogue.questions.iter().map(list).collect()
}

fn dot(weights: &Weights, signals: &Weights) -> f64 {
    weights.iter().zip(signals).map(|(weight, signal)| weight * signal).sum()
}

#[expect(clippy::disallowed_methods, reason = "fitting is a measurement, not a fold")]
fn fit(lists: &[&List], used: &[Start]) -> Weights {
    let mut weights = [1.0; COUNT];
    for (weight, start) in weights.iter_mut().zip(used) {
        *weight = if let Start::Held(held) = start { *held } else { *weight };
    }
    let (mut mean, mut square) = ([0.0; COUNT], [0.0; COUNT]);
    for step in 1..=STEPS {
        let gradient = gradient(lists, &weights);
        for at in (0..COUNT).filter(|at| used[*at] == Start::Fitted) {
            mean[at] = 0.9 * mean[at] + 0.1 * gradient[at];
            square[at] = 0.99 * square[at] + 0.01 * gradient[at] * gradient[at];
            let unbiased = mean[at] / (1.0 - 0.9_f64.powi(step));
            let spread = (square[at] / (1.0 - 0.99_f64.powi(step))).sqrt();
            weights[at] -= 0.1 / (1.0 + f64::from(step) / 100.0) * unbiased / (spread + 1e-8);
        }
    }
    weights
}

#[expect(clippy::disallowed_methods, reason = "fitting is a measurement, not a fold")]
fn gradient(lists: &[&List], weights: &Weights) -> Weights {
    let mut gradient = weights.map(|weight| 2.0 * PENALTY * weight);
    for list in lists {
        let scores: Vec<f64> = list.candidates.iter().map(|(s, _)| dot(weights, s)).collect();
        let golds = list.candidates.iter().filter(|(_, gold)| *gold).count() as f64;
        if golds == 0.0 {
            continue;
        }
        let top = scores.iter().copied().fold(f64::MIN, f64::max);
        let parts: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
        let sum: f64 = parts.iter().sum();
        for ((signals, gold), part) in list.candidates.iter().zip(&parts) {
            let target = if *gold { 1.0 / golds } else { 0.0 };
            let error = (part / sum - target) / lists.len() as f64;
            for (slot, signal) in gradient.iter_mut().zip(signals) {
                *slot += error * signal;
            }
        }
    }
    gradient
}

/// Recall at 5, 10, 20, hit at 10, MRR, and recall at 10 of multi-hop questions, in percent.
fn figures(lists: &[&List], weights: &Weights) -> [f64; 6] {
    let mut sums = [0.0; 6];
    for list in lists {
        let mut ranked: Vec<(f64, bool)> =
            list.candidates.iter().map(|(s, gold)| (dot(weights, s), *gold)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found = |cut| {
            let found = ranked.iter().take(cut).filter(|(_, gold)| *gold).count();
            found as f64 / list.gold as f64
        };
        for (sum, cut) in sums.iter_mut().zip([5, 10, 20]) {
            *sum += found(cut);
        }
        sums[3] += if found(10) > 0.0 { 1.0 } else { 0.0 };
        let first = ranked.iter().take(50).position(|(_, gold)| *gold);
        sums[4] += first.map_or(0.0, |place| 1.0 / (place + 1) as f64);
        sums[5] += if list.multi_hop { found(10) } else { 0.0 };
    }
    let hops = lists.iter().filter(|list| list.multi_hop).count().max(1);
    let count = [lists.len(), lists.len(), lists.len(), lists.len(), lists.len(), hops];
    let percent = |(sum, count): (f64, usize)| 100.0 * sum / count as f64;
    let mut figures = [0.0; 6];
    for (figure, line) in figures.iter_mut().zip(sums.into_iter().zip(count)) {
        *figure = percent(line);
    }
    figures
}

fn print(name: &str, [r5, r10, r20, hit, mrr, hops]: [f64; 6]) {
    println!(
        "{name:36} R@5 {r5:5.1}  R@10 {r10:5.1}  R@20 {r20:5.1}  hit@10 {hit:5.1}  \
         MRR {mrr:5.1}  multi-hop R@10 {hops:5.1}"
    );
}
