//! The statements that a client sends. A client sends the same text that a procedure executes, with parameters in place
//! of the procedure's variables.

use crate::EngineError;
use dbdyno_model::ErrorClass;

/// Replaces the variables of a text, from its beginning to its end. `variables` has their names and what each stands
/// for. `replacement` returns the new text for each.
///
/// # Errors
/// A word begins with `v_`, as variables do, and is not in `variables`: the statement could not be sent.
pub fn replace_variables<V: Copy>(
    text: &str,
    variables: &[(&str, V)],
    mut replacement: impl FnMut(V) -> String,
) -> Result<String, EngineError> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut rest, mut sent) = (text, String::with_capacity(text.len()));
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(length);
        rest = after;
        match variables.iter().find(|(name, _)| *name == word) {
            Some((_, stands_for)) => sent.push_str(&replacement(*stands_for)),
            None if word.starts_with("v_") => {
                let message = format!("a client has no value for {word} in {text}");
                return Err(EngineError::new(ErrorClass::Other, message));
            }
            None => sent.push_str(word),
        }
    }
    Ok(sent)
}

/// The text between two marks, without the white space around it.
pub fn between<'t>(text: &'t str, marks: (&str, &str)) -> Option<&'t str> {
    let (_, rest) = text.split_once(marks.0)?;
    Some(rest.split_once(marks.1)?.0.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_become_parameters_in_their_order() {
        let variables = [("v_key", 'k'), ("v_from", 'f')];
        let mut order = String::new();
        let sent = replace_variables("id = v_key AND a_v_key < v_from + v_key, 'é'", &variables, |value| {
            order.push(value);
            format!(":{}", order.len())
        });
        assert_eq!((sent.unwrap().as_str(), order.as_str()), ("id = :1 AND a_v_key < :2 + :3, 'é'", "kfk"));
        let error = replace_variables("v_keys = 1", &variables, |_| String::new()).unwrap_err();
        assert!(error.message.contains("no value for v_keys"), "{error}");
    }

    #[test]
    fn what_stands_between_marks_is_found() {
        assert_eq!(between("a /*x*/ b c /*y*/ d", ("/*x*/", "/*y*/")), Some("b c"));
        assert_eq!(between("a /*x*/ b", ("/*x*/", "/*y*/")), None);
    }
}
