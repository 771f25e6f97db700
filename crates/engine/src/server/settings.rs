//! Which settings of a server a run's record keeps, and which of them let a crash lose commits. The file
//! `settings.toml` of a dialect says so.
//!
//! ```toml
//! always = ["work_mem"]            # kept on every server; others only where somebody has changed them
//! never = ["port"]                 # of no interest
//! never_prefixes = ["ssl_"]
//! never_suffixes = ["_dir"]
//! secrets = ["init_file"]          # only said to be set
//! secret_words = ["password"]      # the same where a name has such a word in it ...
//! secret_suffixes = ["_command"]   # ... or at its end
//! safe = "each commit waits"       # what `check` says where nothing is unsafe
//! in_procedures = "..."            # what the default lets a crash lose inside procedures
//!
//! [[unsafe]]                       # the first entry for a setting whose values match counts
//! setting = "fsync"
//! values = ["off"]                 # or `except`: every value but these
//! text = "fsync={value}: ..."
//! durable = "on"                   # what durable sessions set instead, which makes it safe
//! ```
//! An entry may also say `when` and `unless` (other settings with values that all must hold, and of which none may),
//! and `by_default = true` where durable sessions do without the setting.

use crate::Durability;
use crate::procedure::Setting;
use dbdyno_model::{CommitMode, Drive};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Names and values, names in small letters.
pub type Answers = BTreeMap<String, String>;

/// What counts of a server's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    always: Vec<String>,
    never: Vec<String>,
    never_prefixes: Vec<String>,
    never_suffixes: Vec<String>,
    secrets: Vec<String>,
    secret_words: Vec<String>,
    secret_suffixes: Vec<String>,
    /// What `check` says where nothing is unsafe.
    pub safe: String,
    in_procedures: String,
    #[serde(rename = "unsafe")]
    dangers: Vec<Danger>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Danger {
    setting: String,
    values: Vec<String>,
    except: Vec<String>,
    when: BTreeMap<String, Vec<String>>,
    unless: BTreeMap<String, Vec<String>>,
    text: String,
    durable: Option<String>,
    by_default: bool,
}

impl Danger {
    fn holds(&self, settings: &Answers) -> bool {
        let is = |name: &str, values: &[String]| settings.get(name).is_some_and(|value| is_one_of(value, values));
        let known = settings.contains_key(&self.setting);
        let dangerous = if self.values.is_empty() { known } else { is(&self.setting, &self.values) };
        dangerous
            && !is(&self.setting, &self.except)
            && self.when.iter().all(|(name, values)| is(name, values))
            && !self.unless.iter().any(|(name, values)| is(name, values))
    }
}

/// Whether a value, or one of the words that it lists, is one of these.
fn is_one_of(value: &str, values: &[String]) -> bool {
    let is = |word: &str| values.iter().any(|one| one.eq_ignore_ascii_case(word.trim()));
    is(value) || value.split(',').any(is)
}

impl Settings {
    /// The settings to keep with a run, of all and of those that somebody has changed. What may hold a secret is only
    /// said to be set.
    #[must_use]
    pub fn kept(&self, all: &Answers, changed: &Answers) -> Answers {
        let always = self.always.iter().filter_map(|name| Some((name.clone(), all.get(name)?.clone())));
        let changed = changed.iter().filter(|(name, _)| self.counts(name)).map(|(name, value)| {
            let value = if self.is_secret(name) { "(set)" } else { value };
            (name.clone(), value.to_owned())
        });
        always.chain(changed).collect()
    }

    fn counts(&self, name: &str) -> bool {
        let out = self.never.iter().any(|one| one == name)
            || self.never_prefixes.iter().any(|prefix| name.starts_with(prefix))
            || self.never_suffixes.iter().any(|suffix| name.ends_with(suffix));
        !out || self.is_secret(name)
    }

    fn is_secret(&self, name: &str) -> bool {
        self.secrets.iter().any(|one| one == name)
            || self.secret_words.iter().any(|word| name.contains(word))
            || self.secret_suffixes.iter().any(|suffix| name.ends_with(suffix))
    }

    /// How durable commits are with these settings, of sessions that commit so.
    #[must_use]
    pub fn durability(&self, mut settings: Answers, commit: CommitMode, drive: Drive) -> Durability {
        let mut unsafe_settings = Vec::new();
        let (mut own, by_default) = (settings.clone(), commit == CommitMode::EngineDefault);
        for (name, value) in self.commit_settings(&settings, commit) {
            let told = format!("{value} (set by dbdyno; the server's own is {})", settings[&name]);
            settings.insert(name.clone(), told);
            own.insert(name, value);
        }
        for danger in self.dangers.iter().filter(|danger| !danger.by_default || by_default) {
            if danger.holds(&own) {
                unsafe_settings.push(danger.text.replace("{value}", &own[&danger.setting]));
            }
        }
        let in_procedures = by_default && drive == Drive::Server && !self.in_procedures.is_empty();
        let by_default = in_procedures.then(|| self.in_procedures.clone()).into_iter().collect();
        Durability { settings, unsafe_settings, by_default, unknown: None }
    }

    /// What sessions set so that their commits are as asked, where the server's own settings do not do.
    #[must_use]
    pub fn commit_settings(&self, settings: &Answers, commit: CommitMode) -> Vec<Setting> {
        let set = |danger: &Danger| Some((danger.setting.clone(), danger.durable.clone()?));
        let dangers = self.dangers.iter().filter(|danger| commit == CommitMode::Durable && danger.holds(settings));
        dangers.filter_map(set).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(pairs: &[(&str, &str)]) -> Answers {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn settings() -> Settings {
        toml::from_str(
            "always = ['page_size']\nnever = ['port']\nnever_prefixes = ['ssl_']\nnever_suffixes = ['_file']\n\
             secrets = ['init']\nsecret_words = ['password']\nsecret_suffixes = ['_command']\nin_procedures = 'later'\n\
             [[unsafe]]\nsetting = 'fsync'\nvalues = ['off', 'no']\ntext = 'fsync={value}'\n\
             [[unsafe]]\nsetting = 'commit'\nvalues = ['off']\ndurable = 'on'\ntext = 'commit={value}'\n\
             [[unsafe]]\nsetting = 'wait'\nvalues = ['nowait']\nby_default = true\ntext = 'wait={value}'\n\
             [[unsafe]]\nsetting = 'sync_log'\nexcept = ['1']\nwhen = { log = ['on'] }\nunless = { kept = ['yes'] }\ntext = 'sync_log={value}'\n",
        )
        .unwrap()
    }

    #[test]
    fn what_counts_is_kept_and_secrets_are_not() {
        let all = answers(&[("page_size", "8192"), ("other", "1")]);
        let changed = answers(&[
            ("port", "1"),
            ("ssl_key", "/k"),
            ("ssl_password", "tiger"),
            ("log_file", "/l"),
            ("archive_command", "cp tiger"),
            ("init", "tiger"),
            ("work_mem", "9"),
        ]);
        let kept: Vec<_> =
            settings().kept(&all, &changed).iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(kept, ["archive_command=(set)", "init=(set)", "page_size=8192", "ssl_password=(set)", "work_mem=9"]);
    }

    #[test]
    fn settings_that_lose_commits_are_named() {
        let (durable, default) = (CommitMode::Durable, CommitMode::EngineDefault);
        let told = |pairs: &[(&str, &str)], commit| {
            settings().durability(answers(pairs), commit, Drive::Server).unsafe_settings.join(" ")
        };
        for (pairs, commit, said) in [
            (&[("fsync", "OFF")][..], durable, "fsync=OFF"),
            (&[("fsync", "on")], durable, ""),
            (&[("commit", "off")], durable, ""),
            (&[("commit", "off")], default, "commit=off"),
            (&[("wait", "batch,nowait")], durable, ""),
            (&[("wait", "batch,nowait")], default, "wait=batch,nowait"),
            (&[("sync_log", "0"), ("log", "off")], durable, ""),
            (&[("sync_log", "0"), ("log", "on")], durable, "sync_log=0"),
            (&[("sync_log", "1"), ("log", "on")], durable, ""),
            (&[("sync_log", "0"), ("log", "on"), ("kept", "yes")], durable, ""),
            (&[("log", "on")], durable, ""),
        ] {
            assert_eq!(told(pairs, commit), said, "{pairs:?}");
        }
        let mended = settings().durability(answers(&[("commit", "off")]), durable, Drive::Client);
        assert_eq!(mended.settings["commit"], "on (set by dbdyno; the server's own is off)");
        assert_eq!(mended.by_default, Vec::<String>::new());
        assert_eq!(settings().durability(Answers::new(), default, Drive::Server).by_default, ["later"]);
    }
}
