//! Nouns that secrets are called by in a sentence.

/// The kind of secret that a noun calls: it tells in which form the secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noun {
    /// Chosen by somebody, often of a few letters.
    Password,
    /// Words that follow each other.
    Phrase,
    /// A few digits.
    Code,
    /// Drawn at random.
    Token,
}

/// Nouns that no name of an assignment has.
pub(crate) const NOUNS: &[&str] = &[
    "api key",
    "access key",
    "secret key",
    "pass phrase",
    "seed phrase",
    "recovery phrase",
    "wi-fi key",
    "wifi key",
    "wlan key",
    "alarm code",
    "door code",
    "gate code",
    "unlock code",
    "pin ",
    "pw ",
    "senha",
    "has\u{142}o",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}",
    "\u{be44}\u{bc00}\u{bc88}\u{d638}",
    "passwort",
    "kennwort",
    "mot de passe",
    "contrase\u{f1}a",
    "wachtwoord",
    "\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9}",
    "\u{5bc6}\u{7801}",
];

/// Ends of words that call a password.
const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passcode",
    "pwd",
    "pw",
    "fi key",
    "wifi key",
    "wlan key",
    "senha",
    "has\u{142}o",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}",
    "\u{be44}\u{bc00}\u{bc88}\u{d638}",
    "passwort",
    "kennwort",
    "mot de passe",
    "contrase\u{f1}a",
    "wachtwoord",
    "\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9}",
    "\u{5bc6}\u{7801}",
];

impl Noun {
    pub(crate) fn of(name: &str) -> Noun {
        let name = name.trim_end().to_lowercase();
        if name.ends_with("phrase") {
            Noun::Phrase
        } else if PASSWORDS.iter().any(|word| name.ends_with(word)) {
            Noun::Password
        } else if name == "pin" || name.ends_with(" code") {
            Noun::Code
        } else {
            Noun::Token
        }
    }

    /// Whether it calls what somebody chose.
    pub(crate) fn is_chosen(self) -> bool {
        matches!(self, Noun::Password | Noun::Phrase)
    }
}
