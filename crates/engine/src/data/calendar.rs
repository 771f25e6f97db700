//! Days: by their distance from 1970-01-01, and as the calendar has them.

/// The first day of a range, days since 1970-01-01. Range `r` is the r-th month from January 2020 on.
#[must_use]
pub fn first_day(range: u64) -> i64 {
    days_since_1970(2020 + (range / 12).cast_signed(), 1 + (range % 12).cast_signed(), 1)
}

/// A day as `YYYY-MM-DD`.
#[must_use]
pub fn iso_day(days: i64) -> String {
    let (year, month, day) = calendar(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A day from `YYYY-MM-DD`, as days since 1970-01-01.
#[must_use]
pub fn day_from_iso(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-').map(str::parse::<i64>);
    day_number(parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?)
}

/// The days from 1970-01-01 to a day of the calendar, of the years 1 to 9999; nothing where there is no such day.
#[must_use]
pub fn day_number(year: i64, month: i64, day: i64) -> Option<i64> {
    if !((1..=9_999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)) {
        return None;
    }
    let days = days_since_1970(year, month, day);
    (calendar(days) == (year, month as u8, day as u8)).then_some(days)
}

/// The same without looking whether there is such a day.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // From the first of March on, months are as long as in every year.
    let (year, month_from_march) = (year - i64::from(month <= 2), (month + 9) % 12);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    era * ERA_DAYS + 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year - FROM_MARCH_0
}

/// Days of 400 years, which are all equally many.
const ERA_DAYS: i64 = 146_097;
/// Days from the 1st of March of the year 0 to 1970-01-01.
const FROM_MARCH_0: i64 = 719_468;

/// The day of the calendar that is so many days after 1970-01-01: year, month, day. Years are counted from a March, so
/// that the day which is not always there is a year's last, and in eras of 400 years.
#[must_use]
pub fn calendar(days: i64) -> (i64, u8, u8) {
    let from_march_0 = days + FROM_MARCH_0;
    let day_of_era = from_march_0.rem_euclid(ERA_DAYS);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = from_march_0.div_euclid(ERA_DAYS) * 400 + year_of_era + i64::from(month <= 2);
    (year, month as u8, day as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_months() {
        assert_eq!(iso_day(first_day(0)), "2020-01-01");
        assert_eq!(iso_day(first_day(2)), "2020-03-01");
        assert_eq!(iso_day(first_day(31)), "2022-08-01");
        assert_eq!(iso_day(first_day(13) + 27), "2021-02-28");
        assert_eq!(day_from_iso("2022-08-15"), Some(first_day(31) + 14));
        assert_eq!(day_from_iso("2022-13-15"), None);
        assert_eq!(day_from_iso("x"), None);
    }
}
