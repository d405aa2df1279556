//! The little of the calendar that HTTP needs: its dates read, a moment shown, the days on which dumps begin.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How long a `Retry-After` asks to wait, given in seconds or as a date; `None` if it is neither.
pub(super) fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if value.bytes().all(|b| b.is_ascii_digit()) && !value.is_empty() {
        // More digits than a number holds still means "very long".
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let at = UNIX_EPOCH.checked_add(Duration::from_secs(http_date(value)?))?;
    Some(at.duration_since(now).unwrap_or_default())
}

/// Seconds since 1970 of a date like `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that may be sent
/// nowadays.
fn http_date(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once(", ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let [day, month, year, time, "GMT"] = fields[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let clock: Vec<u64> = time.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [h, m, s] = clock[..] else { return None };
    if !(1..=31).contains(&day) || !(1970..10_000).contains(&year) || h > 23 || m > 59 || s > 60 {
        return None;
    }
    Some(days_since_1970(year, month, day) * 86_400 + h * 3600 + m * 60 + s)
}

/// Days from 1970-01-01 to the given day of the Gregorian calendar.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    // Years that begin in March have the leap day at their end, which makes the months regular.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let y = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * y + y / 4 - y / 100);
    let m = (5 * of_year + 2) / 153;
    let day = of_year - (153 * m + 2) / 5 + 1;
    let (month, carry) = if m < 10 { (m + 3, 0) } else { (m - 9, 1) };
    (era * 400 + y + carry, month, day)
}

/// The moment `wait` after `now`, as `2026-09-01 08:49 UTC`; far away is said without a number.
pub(super) fn moment(now: SystemTime, wait: Duration) -> String {
    let seconds = now.checked_add(wait).and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    match seconds.map(|at| at.as_secs()) {
        Some(seconds) if seconds < 250_000_000_000 => {
            let (year, month, day) = civil(seconds / 86_400);
            let (h, m) = (seconds % 86_400 / 3600, seconds % 3600 / 60);
            format!("{year:04}-{month:02}-{day:02} {h:02}:{m:02} UTC")
        }
        _ => "some other year".to_owned(),
    }
}

/// Today as dumps write it, eight digits.
pub(super) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year:04}{month:02}{day:02}")
}

/// The two dates before `date` on which Wikimedia is used to begin dumps, the 20th and the 1st of a month.
pub(super) fn runs_before(date: &str) -> Vec<String> {
    let Ok(number) = date.parse::<u32>() else { return Vec::new() };
    let (mut year, mut month, mut day) = (number / 10_000, number / 100 % 100, number % 100);
    let mut runs = Vec::new();
    while runs.len() < 2 && year > 0 {
        if day > 20 {
            day = 20;
        } else if day > 1 {
            day = 1;
        } else {
            (year, month) = if month > 1 { (year, month - 1) } else { (year - 1, 12) };
            day = 20;
        }
        runs.push(format!("{year:04}{month:02}{day:02}"));
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_there_and_back() {
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        for bad in ["", "soon", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET"] {
            assert_eq!(http_date(bad), None, "{bad}");
        }
        for day in (0..90_000).step_by(7) {
            let (y, m, d) = civil(day);
            assert_eq!(days_since_1970(y, m, d), day);
        }
        assert_eq!(moment(UNIX_EPOCH, Duration::from_secs(784_111_777)), "1994-11-06 08:49 UTC");
        assert_eq!(moment(UNIX_EPOCH, Duration::from_secs(u64::MAX)), "some other year");
    }

    #[test]
    fn retry_after_in_both_forms() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(retry_after("12", now), Some(Duration::from_secs(12)));
        assert_eq!(retry_after("99999999999999999999999", now), Some(Duration::from_secs(u64::MAX)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), Some(Duration::from_secs(60)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(retry_after("-3", now), None);
    }

    #[test]
    fn dumps_begin_on_the_first_and_the_twentieth() {
        assert_eq!(runs_before("20260901"), ["20260820", "20260801"]);
        assert_eq!(runs_before("20260120"), ["20260101", "20251220"]);
        assert_eq!(runs_before("20260928"), ["20260920", "20260901"]);
    }
}
