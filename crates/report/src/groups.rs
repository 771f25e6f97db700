//! Values in the order in which they first appear: each once, grouped by a key, or as one text.

/// Each value once.
pub(crate) fn unique<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut each: Vec<T> = Vec::new();
    for value in values {
        if !each.contains(&value) {
            each.push(value);
        }
    }
    each
}

/// The values of each key.
pub(crate) fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// The texts that say something, in one.
pub(crate) fn joined<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, separator: &str) -> String {
    let mut all = String::new();
    for text in texts {
        let text = text.as_ref();
        all.push_str(if all.is_empty() || text.is_empty() { "" } else { separator });
        all.push_str(text);
    }
    all
}
