//! Suggestions for a name that does not exist.

/// The most suggestions.
const OFFERED: usize = 3;

/// The known names nearest to `asked`: those with the least edit distance, the longest common prefix first, at most
/// three. None if even the nearest has little in common with it. Case does not count. A name that begins with `asked`
/// is near.
pub(crate) fn nearest<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let asked = asked.to_uppercase();
    let length = asked.chars().count();
    let mut best: Vec<&str> = Vec::new();
    let mut least = usize::MAX;
    for name in known {
        let upper = name.to_uppercase();
        let distance = match upper.strip_prefix(&asked) {
            Some(_) if length >= 2 => usize::from(upper != asked),
            _ => strsim::damerau_levenshtein(&asked, &upper),
        };
        let limit = (length.max(upper.chars().count()) / 2).min(3);
        if distance > limit || distance > least {
            continue;
        }
        if distance < least {
            least = distance;
            best.clear();
        }
        best.push(name);
    }
    let common = |name: &str| name.to_uppercase().chars().zip(asked.chars()).take_while(|(a, b)| a == b).count();
    best.sort_by_key(|name| std::cmp::Reverse(common(name)));
    best.into_iter().take(OFFERED).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_alike_is_offered() {
        let codes = ["T111", "T611", "T612", "T616", "T621", "DBL-11"];
        assert_eq!(nearest("T661", codes), ["T611", "T616", "T621"]);
        assert_eq!(nearest("t611", codes), ["T611"]);
        assert_eq!(nearest("dbl11", codes), ["DBL-11"]);
        assert!(nearest("order-entry", codes).is_empty());
        assert!(nearest("", codes).is_empty());
        assert_eq!(nearest("base", ["quick", "baseline"]), ["baseline"]);
        assert_eq!(nearest("tabel", ["title", "table", "tier"]), ["table"]);
        assert_eq!(nearest("X", ["T", "VL", "XL"]), ["XL"]);
    }
}
