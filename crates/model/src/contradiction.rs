//! Where the figures of a point contradict each other: nobody has measured it so.

use crate::{Point, Subject};

/// Counts are rounded to whole numbers, and rates are kept as they were computed.
const ROUNDED: f64 = 1.0;
/// Seconds are kept to the last bit, but not always added up in the same order.
const SHARE: f64 = 1e-6;

impl Point {
    /// The first contradiction among its figures, in words. Storage points have figures of their own, and none of
    /// these.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        if matches!(self.subject, Subject::Storage(_)) {
            return None;
        }
        let rates = [
            ("ops_per_s", self.ops_per_s, self.ops),
            ("rows_per_s", self.rows_per_s, self.rows),
            ("tx_per_s", self.tx_per_s, self.ops),
            ("work_mib_per_s", self.work_mib_per_s, None),
        ];
        let seconds = self.window_s.map(|seconds| seconds - self.discarding_s.unwrap_or(0.0));
        for (name, rate, count) in rates {
            let Some(rate) = rate else { continue };
            if rate < 0.0 {
                return Some(format!("its {name} is {rate}"));
            }
            if let (Some(seconds), Some(count)) = (seconds, count.map(|count| count as f64)) {
                let counted = rate * seconds;
                if (counted - count).abs() > ROUNDED + count * SHARE {
                    return Some(format!("its {name} is {rate}, which in {seconds} s is {counted:.1} and not {count}"));
                }
            }
        }
        let metric = self.metric.as_ref()?;
        let elapsed = [("elapsed_s", self.elapsed_s, None)];
        let same = rates.iter().chain(&elapsed).find(|(name, ..)| metric.id == (*name).into())?;
        let is_said = same.1 == Some(metric.value);
        let said = same.1.map_or_else(|| "none".to_owned(), |value| value.to_string());
        (!is_said).then(|| format!("its metric says {} of {}, and the point {said}", metric.value, same.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MetricValue, TestCode};

    fn point() -> Point {
        let mut point = Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        (point.window_s, point.discarding_s) = (Some(2.5), Some(0.5));
        (point.ops, point.rows) = (Some(2_000), Some(20_001));
        (point.ops_per_s, point.rows_per_s, point.tx_per_s) = (Some(1_000.2), Some(10_000.0), Some(1_000.2));
        point.metric = Some(MetricValue { id: "tx_per_s".into(), value: 1_000.2, unit: "1/s".to_owned() });
        point
    }

    #[test]
    fn what_was_measured_agrees_with_itself() {
        assert_eq!(point().contradiction(), None);
        assert_eq!(Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH).contradiction(), None);
    }

    #[test]
    fn what_was_altered_does_not() {
        let altered = |alter: fn(&mut Point)| {
            let mut point = point();
            alter(&mut point);
            point.contradiction().unwrap_or_default()
        };
        assert!(altered(|p| p.ops_per_s = Some(7.7e12)).starts_with("its ops_per_s is 7700000000000, which in 2 s"));
        assert_eq!(altered(|p| p.rows_per_s = Some(-50.0)), "its rows_per_s is -50");
        assert!(altered(|p| p.ops = Some(4_000)).contains("and not 4000"));
        assert!(altered(|p| p.window_s = Some(1.0)).contains("in 0.5 s"));
        let other = altered(|p| p.metric.as_mut().unwrap().value = 9_000.0);
        assert_eq!(other, "its metric says 9000 of tx_per_s, and the point 1000.2");
    }
}
