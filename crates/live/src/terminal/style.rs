//! Colours and signs. A colour never says anything alone: what differs in colour differs in its sign, too. The colours
//! are those that people with any kind of colour vision tell apart (Okabe and Ito).

use ratatui::style::{Color, Modifier, Style};

/// Whether colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// They are.
    On,
    /// Only bold and reversed text.
    Off,
}

impl Colours {
    /// As `NO_COLOR` asks: set to anything, it switches colours off.
    #[must_use]
    pub fn from_environment() -> Self {
        if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) { Self::Off } else { Self::On }
    }

    fn of(self, index: u8) -> Style {
        match self {
            Self::On => Style::new().fg(Color::Indexed(index)),
            Self::Off => Style::new(),
        }
    }

    /// Rules and labels, which stand back.
    pub(crate) fn quiet(self) -> Style {
        self.of(245)
    }

    /// Titles.
    pub(crate) fn title(self) -> Style {
        self.of(33).add_modifier(Modifier::BOLD)
    }

    /// Figures that matter most.
    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What must be seen.
    pub(crate) fn alarm(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED)
    }

    /// Bars of a chart.
    pub(crate) fn bar(self) -> Style {
        self.of(74)
    }

    /// A requirement's line in a chart.
    pub(crate) fn limit(self) -> Style {
        self.of(208)
    }

    /// The sign and the colour of a kind of something: the first one, the second one, ...
    pub(crate) fn kind(self, number: usize) -> (char, Style) {
        const KINDS: [(char, u8); 9] =
            [('█', 33), ('▓', 208), ('▒', 36), ('░', 175), ('#', 220), ('=', 74), ('+', 166), ('o', 250), ('~', 245)];
        let (sign, index) = KINDS[number.min(KINDS.len() - 1)];
        (sign, self.of(index))
    }

    /// How many kinds have a sign of their own. All others share the last one.
    pub(crate) const KINDS: usize = 8;
}
