/// A pair of metadata, as a command line writes it: `key=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) key: String,
    pub(crate) value: String,
}

impl std::str::FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Pair, String> {
        match text.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                Ok(Pair { key: key.to_owned(), value: value.to_owned() })
            }
            _ => Err("a pair is KEY=VALUE, with a key".to_owned()),
        }
    }
}
