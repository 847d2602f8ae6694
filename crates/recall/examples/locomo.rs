//! Prints how much of the evidence the scorer finds.
//!
//! `cargo run --release -p memlith-recall --example locomo -- DATASET.json [--vectors]`: with
//! vectors of turns and questions by the built-in table.

mod dialogues;

use std::collections::BTreeMap;

use dialogues::Dialogue;
use memlith_log::Seq;

/// MRR looks no further.
const CUT: usize = 50;

/// Sums over questions.
#[derive(Default)]
struct Figures {
    questions: usize,
    recall: [f64; 3],
    hit: [f64; 2],
    mrr: f64,
}

impl Figures {
    fn add(&mut self, ranking: &[Seq], evidence: &[Seq]) {
        let places: Vec<usize> =
            evidence.iter().filter_map(|gold| ranking.iter().position(|seq| seq == gold)).collect();
        let found = |cut| places.iter().filter(|place| **place < cut).count();
        self.questions += 1;
        for (sum, cut) in self.recall.iter_mut().zip([5, 10, 20]) {
            *sum += found(cut) as f64 / evidence.len() as f64;
        }
        for (sum, cut) in self.hit.iter_mut().zip([5, 10]) {
            *sum += f64::from(u8::from(found(cut) > 0));
        }
        self.mrr += places.iter().min().map_or(0.0, |place| 1.0 / (place + 1) as f64);
    }

    fn print(&self, name: &str) {
        let percent = |sum: f64| 100.0 * sum / self.questions as f64;
        let [r5, r10, r20] = self.recall.map(percent);
        let [h5, h10] = self.hit.map(percent);
        let (questions, mrr) = (self.questions, percent(self.mrr));
        println!(
            "{name:12} {questions:5}  {r5:5.1} {r10:5.1} {r20:5.1}  {h5:5.1} {h10:5.1}  {mrr:5.1}"
        );
    }
}

fn main() {
    let path = std::env::args().nth(1).expect("the path of a data set");
    let json = std::fs::read_to_string(&path).expect("a data set that can be read");
    let mut dialogues = Dialogue::read_all(&json);
    if std::env::args().nth(2).is_some_and(|word| word == "--vectors") {
        dialogues.iter_mut().for_each(Dialogue::embed);
    }
    let mut overall = Figures::default();
    let mut groups: BTreeMap<String, Figures> = BTreeMap::new();
    for (number, dialogue) in dialogues.iter().enumerate() {
        for question in &dialogue.questions {
            let ranking: Vec<Seq> =
                dialogue.ask(question, CUT).into_iter().map(|hit| hit.seq).collect();
            overall.add(&ranking, &question.evidence);
            for group in [format!("category {}", question.category), format!("dialogue {number}")] {
                groups.entry(group).or_default().add(&ranking, &question.evidence);
            }
        }
    }
    println!(
        "{:12} {:>5}  {:>5} {:>5} {:>5}  {:>5} {:>5}  {:>5}",
        "", "asked", "R@5", "R@10", "R@20", "hit@5", "hit@10", "MRR"
    );
    overall.print("all");
    groups.iter().for_each(|(name, figures)| figures.print(name));
    println!("unresolved evidence: {}", dialogues.iter().map(|d| d.unresolved).sum::<usize>());
}
