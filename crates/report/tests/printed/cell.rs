//! Whether two cells say the same: one as a document prints it, one as dbdyno shows it.

const BOUNDS: [&str; 5] = ["<=", "<", ">=", ">", "~"];

/// A cell without separators and marks.
#[derive(Debug, PartialEq)]
enum Value {
    Nothing,
    Figure { bound: &'static str, value: f64 },
    Words(String),
}

/// What a cell says; `.` and `-` are nothing.
fn value(text: &str) -> Value {
    let text = text.replace(['’', '\'', ','], "");
    let text = text.trim();
    if ["", ".", "-"].contains(&text) {
        return Value::Nothing;
    }
    let (bound, rest) =
        BOUNDS.into_iter().find_map(|sign| Some((sign, text.strip_prefix(sign)?))).unwrap_or(("", text));
    // Signs behind a figure are marks of ours; an asterisk of the documents marks an optional test.
    let without_marks = |text: &str| text.trim().trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    match without_marks(rest).parse() {
        Ok(value) => Value::Figure { bound, value },
        Err(_) => Value::Words(without_marks(text)),
    }
}

/// Whether both say the same.
pub(crate) fn is_same(printed: &str, ours: &str) -> bool {
    value(printed) == value(ours)
}

/// Whether a document prints 0, and dbdyno nothing.
pub(crate) fn is_zero_and_nothing(printed: &str, ours: &str) -> bool {
    value(printed) == Value::Figure { bound: "", value: 0.0 } && value(ours) == Value::Nothing
}

/// The figures in a text; `k` stands for thousand.
fn figures(text: &str) -> Vec<f64> {
    let text = text.replace(['’', '\'', ','], "");
    let mut figures = Vec::new();
    for part in text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != 'k') {
        let (digits, factor) = part.strip_suffix('k').map_or((part, 1.0), |digits| (digits, 1e3));
        figures.extend(digits.trim_end_matches('.').parse::<f64>().ok().map(|value| value * factor));
    }
    figures
}

/// Whether a fact says what a document prints: yes or no, its words if it begins with one, or else each of its figures.
pub(crate) fn fact_says(printed: &str, ours: &str) -> bool {
    match printed {
        "Y" | "Yes" | "yes" | "enabled" => return ours == "yes",
        "N" | "No" => return ours == "no",
        _ => {}
    }
    if printed.starts_with(char::is_alphabetic) {
        return ours.to_lowercase().contains(&printed.to_lowercase());
    }
    let (said, own) = (figures(printed), figures(ours));
    let factor = if printed.contains("GHz") && ours.contains("MHz") { 1e3 } else { 1.0 };
    let has = |value: &f64| own.iter().any(|own| (own / factor - value).abs() <= value.abs() * 1e-12);
    // A version is no figure.
    printed == ours || (!said.is_empty() && said.iter().all(has))
}

#[test]
fn figures_are_the_same_whatever_their_form() {
    for (printed, ours) in [
        ("2’308", "2,308"),
        ("9,470,955", "9,470,955"),
        ("10204", "10,204-?"),
        ("1000", "1,000+>"),
        ("0.2", "0.2 ?"),
        ("21", "21 #"),
        ("T132*", "T132"),
        ("< 5", "< 5?"),
        ("90..100", "90..100"),
        ("~ 9’000..12’000", "~ 9,000..12,000"),
        (".0", "0"),
        (".", "-"),
        (".", ""),
        ("28.0", "28"),
        ("1E+9", "1,000,000,000?"),
    ] {
        assert!(is_same(printed, ours), "{printed} {ours}");
    }
    for (printed, ours) in [
        ("2’308", "2,309"),
        ("< 5", "5"),
        ("<= 5", "< 5"),
        ("0", "-"),
        (".", "0"),
        ("1.165E+04", "1.166E+04"),
        ("T132*", "T133"),
        ("90..100", "90..101"),
    ] {
        assert!(!is_same(printed, ours), "{printed} {ours}");
    }
    assert!(is_zero_and_nothing("0.000E+00", "-") && !is_zero_and_nothing("1", "-"));
}

#[test]
fn a_fact_has_every_printed_figure() {
    for (printed, ours) in [
        ("2.26 GHz", "2260 MHz"),
        ("3.20 GHz", "3200 MHz"),
        ("~ 65k USD", "65,000 USD"),
        ("Y", "yes"),
        ("11.2.0.2", "11.2.0.2"),
        ("No", "no"),
        ("8 x 16 Gbit", "HPE 3PAR; links: 8 x 16 Gbit/s"),
        ("SSD Tier", "HDS G1000, SSD tier"),
        ("31% <= 1 ms, 50% <= 2 ms", "31 % within 1 ms, 50 % within 2 ms"),
    ] {
        assert!(fact_says(printed, ours), "{printed} {ours}");
    }
    for (printed, ours) in [
        ("2.26 GHz", "2270 MHz"),
        ("Y", "no"),
        ("192", "193 GiB"),
        ("11.2.0.2", "11.2.0.3"),
        ("31%", "32 %"),
        ("ASM", "raw"),
        ("Intel X7560", "AMD X7560"),
    ] {
        assert!(!fact_says(printed, ours), "{printed} {ours}");
    }
}
