//! Statistics by name.

use std::collections::BTreeMap;

/// What a view said, or why it said nothing.
pub(crate) type Answer<T> = Result<T, String>;

/// Statistics by name. One that ran backwards, or that was not there before, has a reason instead of a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Named {
    values: BTreeMap<String, u64>,
    lost: BTreeMap<String, String>,
    /// Why nothing could be read at all.
    unreadable: Option<String>,
}

impl FromIterator<(String, u64)> for Named {
    fn from_iter<I: IntoIterator<Item = (String, u64)>>(values: I) -> Self {
        Self { values: values.into_iter().collect(), ..Self::default() }
    }
}

impl Named {
    /// Rows of a name and a number. A row that is none is left out: its name is then missing.
    pub(crate) fn read(rows: &[Vec<Option<String>>]) -> Self {
        let pair = |row: &Vec<Option<String>>| match row.as_slice() {
            [Some(name), Some(value)] => Some((name.clone(), number(value)?)),
            _ => None,
        };
        Self { values: rows.iter().filter_map(pair).collect(), ..Self::default() }
    }

    /// Nothing, for a reason.
    pub(crate) fn unreadable(why: String) -> Self {
        Self { unreadable: Some(why), ..Self::default() }
    }

    /// Why nothing could be read at all, if so.
    pub(crate) fn why_unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// Every statistic, by its name.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&String, &u64)> {
        self.values.iter()
    }

    /// A statistic.
    pub(crate) fn get(&self, name: &str) -> Option<u64> {
        self.values.get(name).copied()
    }

    /// A statistic, or why there is none.
    pub(crate) fn told(&self, name: &str) -> Answer<u64> {
        self.get(name).ok_or_else(|| {
            let absent = || format!("this release has no statistic '{name}'");
            self.lost.get(name).or(self.unreadable.as_ref()).cloned().unwrap_or_else(absent)
        })
    }

    /// A statistic of sessions: those that have not told anything yet have done nothing.
    pub(super) fn of_sessions(&self, name: &str) -> Answer<u64> {
        if *self == Self::default() { Ok(0) } else { self.told(name) }
    }

    /// What was done since `earlier`, by the same session.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let unreadable = self.unreadable.clone().or_else(|| earlier.unreadable.clone());
        let mut done = Self { values: BTreeMap::new(), lost: self.lost.clone(), unreadable };
        for (name, now) in &self.values {
            let before = earlier.get(name);
            match before.and_then(|before| now.checked_sub(before)) {
                Some(delta) => _ = done.values.insert(name.clone(), delta),
                None => {
                    let why = if before.is_some() { "was reset" } else { "was not there before" };
                    done.lost.insert(name.clone(), format!("the session's statistic '{name}' {why}"));
                }
            }
        }
        done
    }

    /// Adds what another session has done. What one of them lacks, both lack.
    pub(crate) fn add(&mut self, other: &Self) {
        for (name, value) in &other.values {
            *self.values.entry(name.clone()).or_default() += value;
        }
        for (name, why) in &other.lost {
            self.lost.entry(name.clone()).or_insert_with(|| why.clone());
        }
        if self.unreadable.is_none() {
            self.unreadable.clone_from(&other.unreadable);
        }
        self.values.retain(|name, _| !self.lost.contains_key(name));
    }
}

/// A number as the server writes it; counts have no part after the point.
pub(super) fn number(text: &str) -> Option<u64> {
    let whole = text.trim().split_once('.').map_or(text.trim(), |(whole, _)| whole);
    whole.parse().ok()
}
