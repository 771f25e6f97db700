//! An assignment of a value to a name, from a file or from the command line.

use super::error::{ConfError, NOT_SHOWN, Place, Refusal, shown};
use super::parameters::{is_open, may_hold_password};
use std::fmt;

/// A value for a name. Neither is checked yet: `Conf::resolve` does that.
#[derive(Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The name of a parameter.
    pub name: String,
    /// The value, without quotes and escapes. It may be a password that somebody wrote there, so do not print it.
    pub value: String,
    /// Where it stands.
    pub place: Place,
}

impl Assignment {
    /// The refusal of this assignment.
    pub(super) fn refused(&self, why: Refusal) -> ConfError {
        let name = shown(&self.name);
        let asked = if self.is_open() { format!("{name}={}", shown(&self.value)) } else { name };
        ConfError::new(self.place.clone(), asked, why)
    }

    /// Whether messages may have the value.
    fn is_open(&self) -> bool {
        is_open(&self.name) && !may_hold_password(&self.value)
    }
}

impl fmt::Debug for Assignment {
    /// The value is left out where it may be a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.is_open() { self.value.as_str() } else { NOT_SHOWN };
        let mut this = f.debug_struct("Assignment");
        this.field("name", &self.name).field("value", &value).field("place", &self.place).finish()
    }
}

/// The assignment that `--set` makes of its NAME=VALUE. The value is taken as it is: quotes were the shell's.
///
/// # Errors
/// There is no `=`, or what stands before it is no name.
pub fn option(name_and_value: &str) -> Result<Assignment, ConfError> {
    let (name, value) = name_and_value.split_once('=').unzip();
    let name = name.unwrap_or(name_and_value);
    let refused = |wrong: &str| {
        let begin = leading_name(name);
        let asked = match name {
            _ if may_hold_password(name_and_value) => NOT_SHOWN.to_owned(),
            _ if begin.is_empty() || begin.len() == name.len() => format!("'{}'", shown(name)),
            _ => format!("'{}...'", shown(begin)),
        };
        let todo = "write NAME=VALUE without blanks before or after the '=', as in UPDATE_PCT=20";
        ConfError::new(Place::Option("--set".to_owned()), asked, Refusal::new(wrong, todo))
    };
    let value = value.ok_or_else(|| refused("it has no '='"))?;
    let is_name = !name.is_empty() && leading_name(name).len() == name.len();
    if !is_name {
        return Err(refused("what stands before the '=' is no name"));
    }
    Ok(option_of(&format!("--set {name}"), name, value.to_owned()))
}

/// The assignment that another option of the command line makes, as `--update-pct 20` does: `option` is what messages
/// call it.
#[must_use]
pub fn option_of(option: &str, name: &str, value: String) -> Assignment {
    Assignment { name: name.to_owned(), value, place: Place::Option(option.to_owned()) }
}

/// The name that a text begins with, as a shell knows names; empty where it begins with none.
pub(super) fn leading_name(text: &str) -> &str {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let end = text.find(|char| !is_part(char)).unwrap_or(text.len());
    if text.starts_with(|char: char| char.is_ascii_digit()) { "" } else { &text[..end] }
}
