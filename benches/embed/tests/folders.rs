//! A small model of random weights in a folder, whole and damaged.

use std::path::Path;
use std::process::{Command, Stdio};

use candle_core::{DType, Device};
use candle_nn::{VarBuilder, VarMap};
use candle_transformers::models::bert::{BertModel, Config};
use memlith_embed::Model;

const CONFIG: &str = r#"{"vocab_size": 7, "hidden_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 2, "intermediate_size": 16, "hidden_act": "gelu",
    "hidden_dropout_prob": 0.0, "max_position_embeddings": 16, "type_vocab_size": 2,
    "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0}"#;

const TOKENIZER: &str = r###"{"version": "1.0", "truncation": null, "padding": null,
    "added_tokens": [{"id": 1, "content": "[CLS]", "single_word": false, "lstrip": false,
      "rstrip": false, "normalized": false, "special": true},
     {"id": 2, "content": "[SEP]", "single_word": false, "lstrip": false, "rstrip": false,
      "normalized": false, "special": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
      "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
    "decoder": null,
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
      "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "port": 3,
      "shed": 4, "##s": 5, ",": 6}}}"###;

fn model(folder: &Path) {
    std::fs::write(folder.join("config.json"), CONFIG).unwrap();
    std::fs::write(folder.join("tokenizer.json"), TOKENIZER).unwrap();
    let weights = VarMap::new();
    let config: Config = serde_json::from_str(CONFIG).unwrap();
    BertModel::load(VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu), &config).unwrap();
    weights.save(folder.join("model.safetensors")).unwrap();
}

#[test]
fn texts_get_vectors_of_length_one() {
    let folder = tempfile::tempdir().unwrap();
    model(folder.path());
    let model = Model::open(folder.path()).unwrap();
    let port = model.vector("Port").unwrap().unwrap();
    let length: f32 = port.iter().map(|one| one * one).sum();
    assert!(port.len() == 8 && (length - 1.0).abs() < 1e-5, "{port:?}");
    assert_eq!(model.vector("port").unwrap().unwrap(), port, "the same words");
    assert_ne!(model.vector("sheds").unwrap().unwrap(), port);
    assert_eq!(model.vector(" ").unwrap(), None);
    assert!(model.vector(&"shed, ".repeat(100_000)).unwrap().is_some(), "it is cut");
}

#[test]
fn a_folder_that_holds_no_model_says_why() {
    let refused = |name: &str, bytes: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        model(folder.path());
        std::fs::write(folder.path().join(name), bytes).unwrap();
        format!("{:#}", Model::open(folder.path()).err().unwrap())
    };
    assert!(refused("config.json", b"{}").contains("config.json"));
    assert!(refused("tokenizer.json", b"[]").contains("no tokenizer"));
    assert!(refused("model.safetensors", b"rubbish").contains("holds no such model"));
    let small = CONFIG.replace("\"vocab_size\": 7", "\"vocab_size\": 5");
    assert!(refused("config.json", small.as_bytes()).contains("of two models"));
    let folder = tempfile::tempdir().unwrap();
    assert!(Model::open(folder.path()).is_err(), "nothing is there");
}

#[test]
fn the_program_answers_a_line_a_line() {
    let folder = tempfile::tempdir().unwrap();
    model(folder.path());
    let said = |arguments: &[&str], input: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_memlith-embed"));
        program.arg(folder.path()).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = program.stderr(Stdio::null()).spawn().unwrap();
        std::io::Write::write_all(&mut program.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let output = program.wait_with_output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (is_well, answer) = said(&[], "{\"id\": \"a\", \"text\": \"port\"}\n\"\"\n");
    let lines: Vec<serde_json::Value> =
        answer.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(is_well && lines.len() == 2, "{answer}");
    assert_eq!((&lines[0]["id"], lines[0]["vector"].as_array().unwrap().len()), (&"a".into(), 8));
    assert!(lines[1].is_null());
    let (is_well, answer) =
        said(&["--pairs"], "{\"a\": \"port\", \"b\": \"port\", \"label\": 1}\n");
    assert!(
        is_well && answer.contains("\"cosine\":1.0") && answer.contains("\"label\":1"),
        "{answer}"
    );
    assert!(!said(&[], "{\"id\": 1}\n").0, "no text");
    assert!(!said(&[], "rubbish\n").0);
}
