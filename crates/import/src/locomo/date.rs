use memlith_log::Timestamp;
use time::{Date, Month, Time};

/// The instant that LoCoMo writes as `1:56 pm on 8 May, 2023`, taken for UTC.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let (clock, date) = text.split_once(" on ")?;
    let (clock, half) = clock.trim().split_once(' ')?;
    let (hour, minute) = clock.split_once(':')?;
    let hour: u8 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let noon = match half.trim() {
        "am" => 0,
        "pm" => 12,
        _ => return None,
    };
    let time = Time::from_hms(hour % 12 + noon, minute.parse().ok()?, 0).ok()?;

    let mut parts = date.split([' ', ',']).filter(|part| !part.is_empty());
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month: Month = month.parse().ok()?;
    let date = Date::from_calendar_date(year.parse().ok()?, month, day.parse().ok()?).ok()?;
    let moment = date.with_time(time).assume_utc();
    parts.next().is_none().then(|| Timestamp(moment.unix_timestamp() * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_dialogues() {
        for (text, expected) in [
            ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
            ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00Z"),
            ("12:00 pm on 29 February, 2024", "2024-02-29T12:00:00Z"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), expected);
        }
        for text in
            ["", "13:00 pm on 8 May, 2023", "1:56 on 8 May, 2023", "1:56 pm on 31 June, 2023"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
