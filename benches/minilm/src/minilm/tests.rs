use std::env;

use super::*;

/// The model in the folder that `MEMLITH_MINILM` names; without it these tests say nothing.
fn model() -> Option<MiniLm> {
    let folder = env::var_os("MEMLITH_MINILM")?;
    Some(MiniLm::open(Path::new(&folder)).unwrap())
}

#[test]
fn what_means_the_same_is_near() {
    let Some(model) = model() else { return };
    let texts = ["The puppy feels sick", "My dog is ill", "The train leaves at noon", " "];
    let vectors = model.embed(&texts).unwrap();
    let [Some(text), Some(near), Some(far), None] = vectors.as_slice() else {
        panic!("{vectors:?}");
    };
    let (near, far) = (text.cosine(near).unwrap(), text.cosine(far).unwrap());
    assert!(near > 600_000 && far < 200_000, "{near} {far}");
    assert_eq!(model.embed(&texts).unwrap(), vectors);
}

#[test]
fn any_text_has_a_vector_or_none() {
    let Some(model) = model() else { return };
    let long = "word ".repeat(1 << 18);
    for text in ["a", "\u{1f600}", "\u{5e9}\u{5dc}", &long] {
        let floats = model.floats(text).unwrap().unwrap();
        let length: f32 = floats.iter().map(|one| one * one).sum();
        assert!(floats.len() == HIDDEN && (length - 1.0).abs() < 1e-4, "{text:.9} {length}");
    }
    for text in ["", "\u{200b}", "\n"] {
        assert_eq!(model.floats(text).unwrap(), None);
    }
}

#[test]
fn a_folder_without_the_model_is_refused() {
    let folder = env::temp_dir().join(format!("memlith-minilm-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    assert!(matches!(MiniLm::open(&folder), Err(OpenError::Read { .. })));
    fs::write(folder.join("vocab.txt"), "no marks\n").unwrap();
    assert!(matches!(MiniLm::open(&folder), Err(OpenError::Vocabulary)));
    fs::write(folder.join("vocab.txt"), "[UNK]\n[CLS]\n[SEP]\n").unwrap();
    for weights in [&b""[..], b"\xff\xff\xff\xff\xff\xff\xff\xff", b"\x02\0\0\0\0\0\0\0{}"] {
        fs::write(folder.join("model.safetensors"), weights).unwrap();
        assert!(matches!(MiniLm::open(&folder), Err(OpenError::Weights { .. })), "{weights:?}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
