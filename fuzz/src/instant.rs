/// The microseconds since 1970 of a time in RFC 3339, digit by digit; `None` where it is
/// none, or none of the years 0 to 9999 in UTC.
pub fn instant(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, len: usize| -> Option<i64> {
        let digits = bytes.get(from..from + len)?;
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    };
    let mark = |at: usize, marks: &[u8]| bytes.get(at).is_some_and(|byte| marks.contains(byte));
    if !(mark(4, b"-") && mark(7, b"-") && mark(10, b"Tt ") && mark(13, b":") && mark(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let fraction_len = match mark(19, b".") {
        false => 0,
        true => bytes.get(20..)?.iter().take_while(|byte| byte.is_ascii_digit()).count() + 1,
    };
    let fraction = bytes.get(19..19 + fraction_len)?;
    if fraction_len == 1 {
        return None;
    }
    let place = |at: usize| fraction.get(at).map_or(0, |digit| i64::from(digit - b'0'));
    let micros = (1..7).fold(0, |sum, at| sum * 10 + place(at));
    let zone = 19 + fraction_len;
    let offset_minutes = match bytes.get(zone..)? {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (number(zone + 1, 2)?, number(zone + 4, 2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes) * if *sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    // A leap second is the last instant before it.
    let leaps = second == 60;
    let (second, micros) = if leaps { (59, 999_999) } else { (second, micros) };
    let minutes = days(year, month, day)? * 1_440 + hour * 60 + minute - offset_minutes;
    // One may stand at the end of any month, and nowhere else.
    let months = (year - 1..=year + 1).flat_map(|year| (1..=12).map(move |month| (year, month)));
    let begins = |day: i64| months.clone().any(|(year, month)| days(year, month, 1) == Some(day));
    if leaps && !(minutes.rem_euclid(1_440) == 1_439 && begins(minutes.div_euclid(1_440) + 1)) {
        return None;
    }
    let years = days(0, 1, 1)? * 1_440..(days(9999, 12, 31)? + 1) * 1_440;
    years.contains(&minutes).then_some((minutes * 60 + second) * 1_000_000 + micros)
}

/// The days from 1970-01-01 to a date of the Gregorian calendar; `None` where it is none.
pub fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let index = usize::try_from(month).ok()?.checked_sub(1)?;
    if !(1..=*months.get(index)?).contains(&day) {
        return None;
    }
    let before = |year: i64| {
        let last = year - 1;
        year * 365 + last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400)
    };
    Some(before(year) - before(1970) + months[..index].iter().sum::<i64>() + day - 1)
}
