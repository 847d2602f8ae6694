use std::time::UNIX_EPOCH;

use memlith_log::Timestamp;

/// Maximum time in seconds that a server is left alone because it asked for it: a week.
const WAIT_S_MAX: u64 = 7 * 86_400;

/// The wait that a header `Retry-After` asks for at `now`, in microseconds: it is a number of
/// seconds or an HTTP date. `None` where it is neither, or lies in the past.
///
/// Source: RFC 9110, section 10.2.3.
#[must_use]
pub fn wait_us(header: &str, now: Timestamp) -> Option<i64> {
    let header = header.trim();
    let seconds = match header.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) if !header.is_empty() && header.bytes().all(|byte| byte.is_ascii_digit()) => {
            WAIT_S_MAX
        }
        Err(_) => {
            let date = httpdate::parse_http_date(header).ok()?;
            let date_s = date.duration_since(UNIX_EPOCH).ok()?.as_secs();
            let now_s = u64::try_from(now.0.div_euclid(1_000_000)).ok()?;
            date_s.checked_sub(now_s)?
        }
    };
    let us = seconds.min(WAIT_S_MAX).checked_mul(1_000_000)?;
    i64::try_from(us).ok().filter(|us| *us > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_seconds_or_a_date() {
        // 1994-11-15 08:12:31 UTC.
        let now = Timestamp(784_887_151_000_000);
        let day = 86_400_000_000;
        for (header, wait) in [
            ("120", Some(120_000_000)),
            (" 1 ", Some(1_000_000)),
            ("0", None),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
            ("99999999999999999999999", Some(7 * day)),
            ("Tue, 15 Nov 1994 08:13:31 GMT", Some(60_000_000)),
            ("Tuesday, 15-Nov-94 08:13:31 GMT", Some(60_000_000)),
            ("Tue, 15 Nov 1994 08:12:31 GMT", None),
            ("Mon, 15 Nov 1993 08:12:31 GMT", None),
            ("Mon, 15 Nov 2094 08:12:31 GMT", Some(7 * day)),
        ] {
            assert_eq!(wait_us(header, now), wait, "{header:?}");
        }
    }
}
