const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// The seconds since 1970 of a date of the form `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7, IMF-fixdate).
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let [weekday, day, month, year, time, "GMT"] = text.split(' ').collect::<Vec<_>>()[..] else { return None };
    let number = |text: &str, length: usize| {
        (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse::<u64>().ok())?
    };
    let [hour, minute, second] = time.split(':').collect::<Vec<_>>()[..] else { return None };
    let (hour, minute, second) = (number(hour, 2)?, number(minute, 2)?, number(second, 2)?);
    let (day, year) = (number(day, 2)?, number(year, 4)?);
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    if hour > 23 || minute > 59 || second > 60 || day < 1 || day > days(month, year) || year < 1970 {
        return None;
    }
    // Days since 1970, of a year that begins in March (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let since = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let is_weekday = weekday.strip_suffix(',') == Some(WEEKDAYS[(since % 7) as usize]);
    is_weekday.then_some(since * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn days(month: u64, year: u64) -> u64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn reads_dates() {
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(seconds("Fri, 31 Dec 9999 00:00:00 GMT"), Some(253_402_214_400));
    }

    #[test]
    fn rejects_what_is_not_of_the_form() {
        for text in [
            "",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Wed, 29 Feb 2023 00:00:00 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun,  06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 0000 08:49:37 GMT",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
