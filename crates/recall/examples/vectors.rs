//! Measures what the built-in table of word vectors finds by its cosine alone, and what it costs.
//!
//! `vectors --data FILE [--dialogues N]` ranks the turns of each dialogue of a LoCoMo file by
//! the cosine with each question of categories 1 to 4; `vectors --pieces` answers each line
//! of standard input, a text as a JSON string, with its pieces as a JSON array
//! (`benches/peers/pieces.py` compares them).

use std::collections::BTreeMap;
use std::io::BufRead;
use std::time::Instant;

use memlith_recall::{StaticTable, Vector};
use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--pieces"] => pieces(),
        ["--data", path] => measure(path, usize::MAX),
        ["--data", path, "--dialogues", count] => measure(path, count.parse()?),
        _ => Err("vectors --data FILE [--dialogues N] | --pieces".into()),
    }
}

fn pieces() -> Result<(), Failure> {
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let unknown =
            |word: Vec<String>| if word.is_empty() { vec!["[UNK]".to_owned()] } else { word };
        let words = StaticTable::built_in().pieces(&text).into_iter();
        println!("{}", serde_json::to_string(&words.flat_map(unknown).collect::<Vec<_>>())?);
    }
    Ok(())
}

/// One dialogue: its turns' names and texts, and each question with the turns it needs.
struct Dialogue {
    turns: Vec<String>,
    questions: Vec<(String, Vec<usize>)>,
}

#[expect(clippy::disallowed_methods, reason = "a measurement")]
fn measure(path: &str, count: usize) -> Result<(), Failure> {
    let data: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let all = data.as_array().ok_or("no list of dialogues")?;
    let dialogues: Vec<Dialogue> = all
        .iter()
        .take(count)
        .map(|one| dialogue(one).ok_or("no dialogue"))
        .collect::<Result<_, _>>()?;
    let table = StaticTable::built_in();
    report("the table's weights", &dialogues, &|_, text| table.vector(text));
    report("the dialogue's own", &dialogues, &|own, text| {
        table.weighed(text, &mut |word| own.get(word).copied().unwrap_or(1_000))
    });
    let texts: Vec<&String> = dialogues.iter().flat_map(|one| &one.turns).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let start = Instant::now();
    let known = texts.iter().filter(|text| table.vector(text).is_some()).count();
    let each = start.elapsed() / u32::try_from(texts.len())?;
    println!("{known} of {} turns of {} bytes, {each:?} each", texts.len(), bytes / texts.len());
    Ok(())
}

fn dialogue(one: &Value) -> Option<Dialogue> {
    let conversation = one.get("conversation")?.as_object()?;
    let sessions = (1..).map_while(|n| conversation.get(&format!("session_{n}"))?.as_array());
    let (mut names, mut turns) = (Vec::new(), Vec::new());
    for turn in sessions.flatten() {
        let caption = turn.get("blip_caption").and_then(Value::as_str).unwrap_or_default();
        names.push(turn.get("dia_id")?.as_str()?);
        turns.push(format!("{} {caption}", turn.get("text")?.as_str()?));
    }
    let mut questions = Vec::new();
    for one in one.get("qa")?.as_array()? {
        let evidence = one.get("evidence")?.as_array()?.iter().filter_map(Value::as_str);
        let ids = evidence.flat_map(|ids| ids.split([' ', ';', ',']));
        let mut needed: Vec<usize> =
            ids.filter_map(|id| names.iter().position(|name| *name == id)).collect();
        needed.sort_unstable();
        needed.dedup();
        if one.get("category")?.as_u64()? < 5 && !needed.is_empty() {
            questions.push((one.get("question")?.as_str()?.to_owned(), needed));
        }
    }
    Some(Dialogue { turns, questions })
}

/// Gives a text's vector in a dialogue whose words count so much each.
type Embed<'a> = dyn Fn(&BTreeMap<String, u32>, &str) -> Option<Vector> + 'a;

fn report(name: &str, dialogues: &[Dialogue], embed: &Embed<'_>) {
    let depths = [5, 10, 20];
    let (mut found, mut asked) = ([0.0; 3], 0);
    for dialogue in dialogues {
        let own = own_weights(&dialogue.turns);
        let vectors: Vec<_> = dialogue.turns.iter().map(|turn| embed(&own, turn)).collect();
        for (question, needed) in &dialogue.questions {
            let question = embed(&own, question);
            let cosine = |turn: &Option<Vector>| turn.as_ref()?.cosine(question.as_ref()?);
            let mut order: Vec<(i32, usize)> = vectors
                .iter()
                .map(cosine)
                .zip(0..)
                .map(|(cosine, at)| (-cosine.unwrap_or_default(), at))
                .collect();
            order.sort_unstable();
            for (sum, depth) in found.iter_mut().zip(depths) {
                let first = order.iter().take(depth);
                *sum += first.filter(|(_, at)| needed.contains(at)).count() as f64
                    / needed.len() as f64;
            }
            asked += 1;
        }
    }
    let shares = found.map(|sum| format!("{:.1}", 100.0 * sum / f64::from(asked)));
    let [a, b, c] = shares;
    println!("{name}: R@5 {a}, R@10 {b}, R@20 {c} of {asked}");
}

/// The weight of each word among these texts: its inverse frequency, of the rarest 1,000.
fn own_weights(turns: &[String]) -> BTreeMap<String, u32> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for turn in turns {
        let mut words = Vec::new();
        let _ = StaticTable::built_in().weighed(turn, &mut |word| {
            words.push(word.to_owned());
            0
        });
        words.sort_unstable();
        words.dedup();
        words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let all = u32::try_from(turns.len()).unwrap_or(u32::MAX);
    // By the half: 2^9 = 512 turns to one are the rarest of a dialogue.
    let weight =
        |count: u32| ((all / count.max(1)).max(1).ilog2() * 1_000 / all.max(2).ilog2()).min(1_000);
    counts.into_iter().map(|(word, count)| (word, weight(count))).collect()
}
