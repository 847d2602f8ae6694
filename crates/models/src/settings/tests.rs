use super::*;

const LEAST: &str = "endpoint = \"https://a.test/v1\"\nmodel = \"small\"\n";

fn load(text: &str) -> Result<Settings, SettingsError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(Settings::FILE), text).unwrap();
    std::fs::write(folder.path().join("ask.txt"), "List nothing.").unwrap();
    Settings::load(folder.path())
}

#[test]
fn two_keys_are_enough() {
    let settings = load(LEAST).unwrap();
    assert_eq!(settings.provider().to_string(), "https://a.test/v1");
    assert_eq!(settings.provider().models().collect::<Vec<_>>(), ["small"]);
    assert_eq!(settings.caps(), (CALLS_PER_DAY, TOKENS_PER_DAY));
    assert_eq!((settings.key_env(), settings.prompt()), (None, None));
    assert_eq!(settings.timeout, Duration::from_mins(1));
}

#[test]
fn every_key_is_read() {
    let all = "fallback = \"large\"\nkey_env = \"A_KEY\"\ntimeout_s = 5\ncalls_per_day = 0\n\
               tokens_per_day = 7\nprompt = \"ask.txt\"\n";
    let settings = load(&format!("{LEAST}{all}")).unwrap();
    assert_eq!(settings.provider().models().collect::<Vec<_>>(), ["small", "large"]);
    assert_eq!(settings.key_env(), Some("A_KEY"));
    assert_eq!(settings.timeout, Duration::from_secs(5));
    assert_eq!(settings.caps(), (0, 7));
    assert_eq!(settings.instructions.as_deref(), Some("List nothing."));
}

#[test]
fn what_is_wrong_is_named_and_no_value_is_shown() {
    let secret = "sk-proj-1234567890";
    for (line, named) in [
        (format!("api_key = \"{secret}\""), "unknown key \"api_key\""),
        (format!("key_env = \"{secret}\""), "key_env has to be"),
        (format!("key_env = {secret}"), "line 3, is no TOML"),
        (format!("timeout_s = \"{secret}\""), "timeout_s has to be"),
        (format!("fallback = [\"{secret}\"]"), "fallback has to be"),
        ("timeout_s = 0".to_owned(), "timeout_s has to be"),
        ("timeout_s = 601".to_owned(), "timeout_s has to be"),
        ("calls_per_day = -1".to_owned(), "calls_per_day has to be"),
        ("fallback = \"a\\nb\"".to_owned(), "fallback has to be"),
        ("fallback = \"\"".to_owned(), "fallback has to be"),
        ("prompt = \"absent.txt\"".to_owned(), "absent.txt can't be read"),
        ("[limits]\ncalls = 1".to_owned(), "unknown key \"limits\""),
    ] {
        let error = load(&format!("{LEAST}{line}\n")).unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(told.contains(named), "{line}: {told}");
        assert!(!told.contains(secret), "{told}");
    }
    let error = load("model = \"small\"").unwrap_err();
    assert!(error.to_string().contains("endpoint has to be an address"), "{error}");
    let error = load("endpoint = \"https://a.test\"").unwrap_err();
    assert!(error.to_string().contains("model has to be"), "{error}");
}

#[test]
fn without_a_file_it_is_said_how_to_write_one() {
    let folder = tempfile::tempdir().unwrap();
    let error = Settings::load(folder.path()).unwrap_err().to_string();
    for named in ["writeback.toml", "endpoint = ", "model = ", "key_env = ", "calls_per_day"] {
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn a_long_file_is_not_read() {
    let error = load(&format!("{LEAST}#{}", "x".repeat(20_000))).unwrap_err();
    assert!(matches!(error, SettingsError::TooLong { .. }), "{error}");
}

#[test]
fn another_server_key_or_text_is_another_agreement() {
    let terms = |text: &str| load(&format!("model = \"small\"\n{text}")).unwrap().terms();
    let agreed = "endpoint = \"https://a.test\"\nkey_env = \"A\"";
    assert_eq!(terms(agreed), terms(&format!("{agreed}\nfallback = \"large\"")));
    for other in [
        "endpoint = \"https://b.test\"\nkey_env = \"A\"",
        "endpoint = \"https://a.test\"\nkey_env = \"B\"",
        "endpoint = \"https://a.test\"",
        "endpoint = \"https://a.test\"\nkey_env = \"A\"\nprompt = \"ask.txt\"",
    ] {
        assert_ne!(terms(agreed), terms(other), "{other}");
    }
}

#[test]
fn a_provider_that_needs_no_file_has_its_limits_of_the_person() {
    let folder = tempfile::tempdir().unwrap();
    let of = |text: &str| {
        std::fs::write(folder.path().join(Settings::FILE), text).unwrap();
        Settings::of("codex".parse().unwrap(), Some(folder.path()))
    };
    let settings = of("calls_per_day = 3\n").unwrap();
    assert_eq!(settings.caps(), (3, TOKENS_PER_DAY));
    assert_eq!(settings.timeout, Duration::from_secs(CLIENT_TIMEOUT_S));
    assert!(of(LEAST).unwrap_err().to_string().contains("unknown key"));
    let bare = Settings::of("codex".parse().unwrap(), None).unwrap();
    assert_eq!(bare.caps(), (CALLS_PER_DAY, TOKENS_PER_DAY));
}
