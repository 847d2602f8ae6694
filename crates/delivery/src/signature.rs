use std::fmt::Write as _;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// A receiver refuses what is older, or comes from further ahead, in seconds.
const WINDOW_S: i64 = 300;

/// Beginning of each signature.
const SCHEME: &str = "sha256=";

/// The value of `X-Webhook-Signature`: HMAC-SHA256 with `token` over the timestamp, a point and
/// the body as it is sent, in hexadecimal digits behind `sha256=`.
///
/// The timestamp is signed along, so that what was recorded can't be sent again later.
///
/// Source: weakness 12 of the webhook of Dionysus, whose signature is of the body alone.
#[must_use]
pub fn signature(token: &str, timestamp: i64, body: &[u8]) -> String {
    let mut text = SCHEME.to_owned();
    for byte in
        mac(token, timestamp, body).map(|mac| mac.finalize().into_bytes()).unwrap_or_default()
    {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Whether a receiver takes a body at `now`: `shown` is its signature, and the timestamp is
/// within five minutes. Takes as long whatever differs.
#[must_use]
pub fn is_signed(token: &str, timestamp: i64, body: &[u8], shown: &str, now: i64) -> bool {
    let is_fresh = now.abs_diff(timestamp) <= WINDOW_S.unsigned_abs();
    let digits = shown.strip_prefix(SCHEME).and_then(bytes_of);
    let (Some(digits), Some(mac)) = (digits, mac(token, timestamp, body)) else { return false };
    mac.verify_slice(&digits).is_ok() && is_fresh
}

fn mac(token: &str, timestamp: i64, body: &[u8]) -> Option<Hmac<Sha256>> {
    // A key of any length is one.
    let mut mac = Hmac::<Sha256>::new_from_slice(token.as_bytes()).ok()?;
    mac.update(timestamp.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(mac)
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf '1700000000.{"a": "\xc3\xa9"}' | openssl dgst -sha256 -hmac secret`
    const OF_OPENSSL: &str =
        "sha256=725638d39fc48246d2c50a7f8b04d07a2f24423350e14d8b29d42609f8e6d04e";

    #[test]
    fn it_is_what_openssl_makes_of_the_same_bytes() {
        let body = "{\"a\": \"\u{e9}\"}";
        assert_eq!(signature("secret", 1_700_000_000, body.as_bytes()), OF_OPENSSL);
    }

    #[test]
    fn one_bit_another_length_another_time_or_another_key_is_refused() {
        let (at, body) = (1_700_000_000, b"body".as_slice());
        let shown = signature("secret", at, body);
        assert!(is_signed("secret", at, body, &shown, at + 300));
        assert!(is_signed("secret", at, body, &shown, at - 300));
        assert!(!is_signed("secret", at, body, &shown, at + 301));
        assert!(!is_signed("secret", at + 1, body, &shown, at));
        assert!(!is_signed("other", at, body, &shown, at));
        assert!(!is_signed("secret", at, b"body ", &shown, at));
        for wrong in ["", "sha256=", "sha256=zz", &shown[..shown.len() - 2], &shown[7..]] {
            assert!(!is_signed("secret", at, body, wrong, at), "{wrong:?}");
        }
        let flipped = shown.replace(&shown[10..11], if &shown[10..11] == "0" { "1" } else { "0" });
        assert!(!is_signed("secret", at, body, &flipped, at));
        assert!(!is_signed("secret", at, body, &format!("{shown}00"), at));
    }
}
