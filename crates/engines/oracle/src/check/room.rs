//! Room for the data.

use super::super::space;
use dbdyno_engine::server::check::mebibytes;
use dbdyno_engine::{Finding, FindingLevel, finding};
use dbdyno_model::{Size, TableName};

/// Bytes for the data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) tablespace: String,
    /// What the user may have there, and has; no limit where it is `None`.
    pub(super) quota: Option<(u64, u64)>,
    /// Whether the user has a quota at all.
    pub(super) allowed: bool,
    /// Free within its files.
    pub(super) free: u64,
    /// By which its files may still grow; unknown where that may not be seen.
    pub(super) growth: Option<u64>,
}

impl Room {
    /// A row of `quota`: tablespace, quota in bytes (-1: none), bytes used, bytes free.
    pub(super) fn read(row: &[Option<String>], growth: Option<u64>, unlimited: bool) -> Self {
        let text = |n: usize| row.get(n).cloned().flatten();
        let number = |n: usize| text(n).and_then(|text| text.parse::<i64>().ok());
        let quota = match (number(1), number(2)) {
            (Some(most), used) if most >= 0 && !unlimited => {
                Some((most.unsigned_abs(), used.unwrap_or(0).unsigned_abs()))
            }
            _ => None,
        };
        let free = number(3).unwrap_or(0).unsigned_abs();
        let allowed = unlimited || number(1).is_some_and(|most| most != 0);
        Self { tablespace: text(0).unwrap_or_default(), quota, allowed, free, growth }
    }

    /// Whether a size fits.
    pub(super) fn finding(&self, user: &str, size: &Size, tables: &[TableName]) -> Finding {
        let needed = space::needed_bytes(size, tables);
        let (name, wanted) = (&self.tablespace, mebibytes(needed));
        let blocker = |text: String| finding(FindingLevel::Blocker, "space", text);
        if !self.allowed {
            let text = format!(
                "{user} has no quota on {name}; an administrator runs: ALTER USER {user} QUOTA UNLIMITED ON {name}"
            );
            return blocker(text);
        }
        if let Some((most, used)) = self.quota
            && most.saturating_sub(used) < needed
        {
            let text = format!(
                "size {} takes about {wanted} in {name}, and {} may have {} more there; an administrator runs: ALTER USER {1} \
                 QUOTA UNLIMITED ON {name}, or choose a smaller size",
                size.id,
                user,
                mebibytes(most.saturating_sub(used))
            );
            return blocker(text);
        }
        let known = self.free + self.growth.unwrap_or(0);
        let text = format!(
            "size {} takes about {wanted} in {name} (reckoned, not measured), with {} free",
            size.id,
            mebibytes(self.free)
        );
        match self.growth {
            Some(growth) if known < needed => blocker(format!(
                "{text} and {} by which it may grow; add a file, or choose a smaller size",
                mebibytes(growth)
            )),
            Some(growth) => {
                finding(FindingLevel::Ok, "space", format!("{text} and {} by which it may grow", mebibytes(growth)))
            }
            None if known < needed => {
                let text = format!("{text}; whether its files may grow this user may not see (dba_data_files)");
                finding(FindingLevel::Warning, "space", text)
            }
            None => finding(FindingLevel::Ok, "space", text),
        }
    }
}
