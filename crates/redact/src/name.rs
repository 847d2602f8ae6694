/// Pieces of which every secret's name has one.
pub(crate) const NAME_PIECES: &[&str] = &[
    "passw",
    "passphrase",
    "passcode",
    "pgpass",
    "_pass",
    "-pass",
    "pass=",
    "pass:",
    "pwd",
    "pw=",
    "pw:",
    "pw =",
    "_pw",
    "-pw",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "accountkey",
    "account_key",
    "authkey",
    "auth_key",
    "encryption_key",
    "encryptionkey",
    "signing_key",
    "signing-key",
    "signingkey",
    "sharedkey",
    "shared_key",
    "_key=",
    "_key:",
    "credential",
    "creds",
    "authorization",
    "cookie",
];

/// Words that name a secret by themselves, alone or at the end of a longer word.
const SECRETS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "authkey",
];

/// Words that name secrets only whole.
const WHOLE: &[&str] = &[
    "passwords",
    "secrets",
    "credential",
    "credentials",
    "creds",
    "authorization",
    "cookie",
    "cookies",
    "pgpass",
    "pass",
    "pw",
];

/// Words that make a secret of the word `key` after them.
const KEYS: &[&str] = &[
    "access",
    "account",
    "api",
    "auth",
    "client",
    "deploy",
    "encryption",
    "license",
    "master",
    "private",
    "secret",
    "service",
    "shared",
    "signing",
    "ssh",
    "storage",
];

/// Words that make a secret of the plural `tokens` after them; others count tokens.
const TOKEN_OWNERS: &[&str] = &["access", "api", "auth", "bearer", "device", "refresh"];

/// Last words that make a name tell something about a secret, not the secret.
const ABOUT: &[&str] = &[
    "arn",
    "at",
    "budget",
    "class",
    "cost",
    "count",
    "counter",
    "counts",
    "enabled",
    "endpoint",
    "env",
    "error",
    "exp",
    "expiration",
    "expired",
    "expires",
    "expiry",
    "field",
    "file",
    "format",
    "hint",
    "index",
    "in",
    "kind",
    "label",
    "len",
    "length",
    "limit",
    "manager",
    "max",
    "min",
    "name",
    "names",
    "path",
    "pattern",
    "policy",
    "prefix",
    "price",
    "provider",
    "ref",
    "regex",
    "required",
    "reset",
    "rotation",
    "scheme",
    "size",
    "status",
    "store",
    "strength",
    "suffix",
    "ttl",
    "type",
    "types",
    "uri",
    "url",
    "usage",
    "version",
];

/// Words beside `token` that make it a piece of text or a place in a list.
const METRICS: &[&str] = &[
    "avg",
    "begin",
    "bos",
    "cached",
    "cls",
    "completion",
    "context",
    "continuation",
    "cursor",
    "end",
    "eos",
    "first",
    "id",
    "ids",
    "input",
    "last",
    "mask",
    "max",
    "mean",
    "min",
    "next",
    "num",
    "output",
    "pad",
    "page",
    "per",
    "prev",
    "previous",
    "prompt",
    "reasoning",
    "remaining",
    "sep",
    "special",
    "start",
    "stop",
    "sync",
    "total",
    "unk",
    "used",
];

/// No name of a secret is longer.
const NAME_MAX: usize = 128;

/// Whether a name says that its value is a secret.
///
/// ```
/// assert!(memlith_redact::names_secret("vpn password"));
/// assert!(!memlith_redact::names_secret("password policy"));
/// ```
///
/// `maxTokens`, `token_count` and `password_policy` say that it is none; so do names
/// over 128 bytes.
pub fn is_secret(name: &str) -> bool {
    if name.len() > NAME_MAX {
        return false;
    }
    let words = words(name);
    let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let last = words.last().copied().unwrap_or_default();
    if ABOUT.contains(&last) {
        return false;
    }
    let metric = words.iter().any(|word| METRICS.contains(word));
    words.iter().enumerate().any(|(index, word)| {
        let before = index.checked_sub(1).and_then(|index| words.get(index)).copied();
        let owned = |owners: &[&str]| before.is_some_and(|before| owners.contains(&before));
        match *word {
            "key" => owned(KEYS),
            "tokens" => owned(TOKEN_OWNERS),
            word if word.ends_with("token") => !metric,
            word => WHOLE.contains(&word) || SECRETS.iter().any(|secret| word.ends_with(secret)),
        }
    })
}

/// Whether a name has letters, and only upper-case ones: the custom of environments.
pub(crate) fn is_upper(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase())
        && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// The words of a name in lower case, separated by spaces: `DBPassword2` is `db password`.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    let mut previous = ' ';
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let starts_word = character.is_ascii_uppercase()
            && (previous.is_ascii_lowercase()
                || previous.is_ascii_uppercase()
                    && characters.peek().is_some_and(char::is_ascii_lowercase));
        if starts_word {
            words.push(' ');
        }
        words.push(if character.is_ascii_alphabetic() {
            character.to_ascii_lowercase()
        } else {
            ' '
        });
        previous = character;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "password",
            "DB_PASSWORD",
            "DBPassword2",
            "apiKey",
            "api-key",
            "x-api-key",
            "APIKEY",
            "client_secret",
            "clientSecret",
            "accessToken",
            "auth_tokens",
            "token",
            "GITHUB_TOKEN",
            "spring.datasource.password",
            "aws_secret_access_key",
            "AccountKey",
            "Authorization",
            "Set-Cookie",
            "credentials",
            "mysqlpwd",
            "user_pass",
            "--token",
            "secret_id",
            "_authToken",
            "SharedAccessKey",
            "signing-key",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    #[test]
    fn names_that_only_sound_like_secrets() {
        for name in [
            "max_tokens",
            "maxTokens",
            "prompt_tokens",
            "token_count",
            "tokenCount",
            "tokens",
            "total_token_usage",
            "token_type",
            "token_url",
            "password_policy",
            "passwordHash_len",
            "secretName",
            "next_token",
            "nextPageToken",
            "pad_token",
            "key",
            "primary_key",
            "author",
            "keyboard",
            "compass",
            "passenger",
            "secretary",
            "tokenizer",
            "input_token_details",
            "authority",
            "keys",
            "cache_key",
            "token_id",
            "token_expires_at",
            "bypass_cache",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
