use super::super::table::tests::small;
use super::*;

fn vector(text: &str) -> Option<Vector> {
    StaticTable::built_in().vector(text)
}

fn cosine(a: &str, b: &str) -> i32 {
    vector(a).unwrap().cosine(&vector(b).unwrap()).unwrap()
}

#[test]
fn what_means_the_same_is_nearer_than_what_does_not() {
    let cases = [
        ("My dog is ill", "The puppy feels sick", "The train leaves at noon"),
        ("she bought a car", "he purchased an automobile", "he sang in a choir"),
        ("the database is slow", "queries take long on postgres", "the soup was salty"),
    ];
    for (text, near, far) in cases {
        let (near, far) = (cosine(text, near), cosine(text, far));
        assert!(near > far + 80_000, "{text}: {near} {far}");
    }
}

#[test]
fn frequent_words_and_signs_move_a_vector_little() {
    assert!(cosine("violin lesson", "the violin lesson!") > 950_000);
    assert_eq!(cosine("violin lesson", "violin, lesson?!"), 1_000_000);
    assert_eq!(cosine("Violin LESSON", "violin lesson"), 1_000_000);
}

#[test]
fn words_have_vectors_of_their_own() {
    let table = StaticTable::built_in();
    let word = |word: &str| table.word(word).unwrap();
    let cosine = |a: &str, b: &str| word(a).cosine(&word(b)).unwrap();
    assert!(cosine("dog", "puppy") > cosine("dog", "train") + 200_000);
    // Frequent words too, and words of several pieces.
    assert!(table.word("the").is_some());
    assert!(cosine("embedding", "embeddings") > 600_000);
    assert_eq!(table.word("\u{1f600}"), None);
}

#[test]
fn words_count_as_the_caller_says() {
    let table = StaticTable::built_in();
    let mut seen = Vec::new();
    let weighed = table.weighed("The CAF\u{c9}, violin", &mut |word| {
        seen.push(word.to_owned());
        if word == "violin" { 5_000 } else { 0 }
    });
    assert_eq!(weighed, table.word("violin"));
    assert_eq!(seen, ["the", "cafe", ",", "violin"]);
    assert_eq!(table.weighed("the violin", &mut |_| 0), None);
}

#[test]
fn odd_texts_have_a_vector_or_none() {
    let none = ["", " ", "\u{1f600}\u{1f600}", "\u{200b}\u{200d}", "?!", "\u{fffd}", "\0"];
    for text in none {
        assert_eq!(vector(text), None, "{text:?}");
    }
    let long = "word ".repeat(1 << 18);
    let some =
        ["a", "7", "\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "\u{645}\u{631}\u{62d}\u{628}\u{627}", &long];
    for text in some {
        let vector = vector(text).unwrap();
        assert_eq!((vector.components().len(), vector.cosine(&vector)), (256, Some(1_000_000)));
    }
    assert_eq!(cosine(&long, "word"), 1_000_000);
    assert_eq!(cosine("zero\u{200b}width", "zerowidth"), 1_000_000);
}

#[test]
fn sums_of_small_numbers_are_exact() {
    let bytes = small();
    let table = StaticTable::new(Table::open(&bytes).unwrap());
    // (127, 0) 1000 times for `a`, (0, 127) 1000 times for `ab`, which counts half.
    assert_eq!(table.vector("a").unwrap().components(), [1 << 14, 0]);
    assert_eq!(table.vector("a ab").unwrap().components(), [11_585, 11_585]);
    assert_eq!(table.word("ab").unwrap().components(), [0, 1 << 14]);
    // `aab` is `a`, then nothing that goes on with `ab`.
    assert_eq!(table.vector("aab"), None);
    // The piece that goes on counts nothing in a text, and something in a word.
    assert_eq!(table.vector("abb"), table.vector("ab"));
    assert_ne!(table.word("abb"), table.word("ab"));
}

#[test]
fn many_rows_are_summed_as_few_are() {
    assert_eq!(vector(&"violin lesson ".repeat(1_000)), vector("violin lesson"));
}

#[test]
fn the_model_is_named_by_its_table() {
    let model = StaticTable::built_in().model();
    assert!(model.as_str().starts_with("words-256@"), "{model}");
    assert_eq!(ModelId::new(model.as_str()), Some(model));
    let bytes = small();
    assert_ne!(
        StaticTable::new(Table::open(&bytes).unwrap()).model(),
        StaticTable::built_in().model()
    );
}

#[test]
fn an_embedder_gives_each_text_its_vector() {
    let embedder: &dyn Embedder = StaticTable::built_in();
    let vectors = embedder.embed(&["a car", "", "a boat"]).unwrap();
    assert_eq!(vectors, [vector("a car"), None, vector("a boat")]);
    assert_eq!(embedder.dimensions(), 256);
}
