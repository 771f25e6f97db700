//! Prices as a user states them, in any currency, and what they come to.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The currency of comparisons.
pub const USD: &str = "USD";

/// The largest price, so that sums stay numbers.
const LARGEST_PRICE: f64 = 1e15;
/// The largest rate to US dollars, and the inverse of the smallest.
const LARGEST_RATE: f64 = 1e9;

/// A price.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// What is paid for: `server`, `storage`, `database`.
    pub of: String,
    /// How much, in the currency.
    pub amount: f64,
    /// The currency's code of three letters (ISO 4217).
    pub currency: String,
    /// US dollars for one unit of the currency; absent: not stated, so the price can only be compared with others in
    /// the same currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_unit: Option<f64>,
    /// Of which day the rate is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_date: Option<String>,
    /// How exact it is, its date, what it covers: `list price, spring 2026`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
}

impl Price {
    /// The price in US dollars, to a cent, where that is known.
    #[must_use]
    pub fn usd(&self) -> Option<f64> {
        if self.currency == USD {
            Some(self.amount)
        } else {
            self.usd_per_unit.map(|rate| to_cents(self.amount * rate))
        }
    }

    /// The rate in words, where the price was converted.
    #[must_use]
    pub fn rate_words(&self) -> Option<String> {
        let rate = self.usd_per_unit.filter(|_| self.currency != USD)?;
        let date = self.rate_date.as_ref().map(|date| format!(" ({date})")).unwrap_or_default();
        Some(format!("1 {} = {rate} {USD}{date}", self.currency))
    }

    /// Whether the numbers and the currency can be used.
    ///
    /// # Errors
    /// Which cannot, and why.
    pub(super) fn check(&self) -> Result<(), String> {
        if !(0.0..=LARGEST_PRICE).contains(&self.amount) {
            return Err(format!("key 'amount' is {}; a price is from 0 to {LARGEST_PRICE:e}", self.amount));
        }
        Self::check_currency(&self.currency).map_err(|problem| format!("key 'currency': {problem}"))?;
        match (self.usd_per_unit, &self.rate_date) {
            (Some(_), _) if self.currency == USD => Err("key 'usd_per_unit': one US dollar is worth 1".to_owned()),
            (None, Some(date)) => Err(format!("key 'rate_date' is {date}, and there is no rate")),
            (rate, _) => rate.map_or(Ok(()), Self::check_rate),
        }
    }

    /// Whether a text can be the code of a currency.
    ///
    /// # Errors
    /// It cannot.
    pub fn check_currency(code: &str) -> Result<(), String> {
        if code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase()) {
            return Ok(());
        }
        Err(format!("'{code}' is no currency; write its code of three capital letters, as EUR or CHF"))
    }

    /// Whether a number can be a rate to US dollars.
    ///
    /// # Errors
    /// It cannot.
    pub fn check_rate(rate: f64) -> Result<(), String> {
        if (1.0 / LARGEST_RATE..=LARGEST_RATE).contains(&rate) {
            return Ok(());
        }
        Err(format!("{rate} is no rate; write the US dollars that one unit is worth, above zero"))
    }
}

fn to_cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Money {
    /// How much.
    pub amount: f64,
    /// The currency's code.
    pub currency: String,
}

impl Money {
    /// What prices come to: in US dollars where each is known in them, else in the one currency of all. `None` without
    /// prices, and where they cannot be added up.
    #[must_use]
    pub fn total(prices: &[Price]) -> Option<Self> {
        if prices.is_empty() {
            return None;
        }
        if let Some(usd) = prices.iter().map(Price::usd).collect::<Option<Vec<f64>>>() {
            return Some(Self { amount: to_cents(usd.iter().sum()), currency: USD.to_owned() });
        }
        let currencies: BTreeSet<&str> = prices.iter().map(|p| p.currency.as_str()).collect();
        let mut currencies = currencies.into_iter();
        match (currencies.next(), currencies.next()) {
            (Some(one), None) => {
                Some(Self { amount: to_cents(prices.iter().map(|p| p.amount).sum()), currency: one.to_owned() })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(amount: f64, currency: &str, usd_per_unit: Option<f64>) -> Price {
        let (of, currency) = ("server".to_owned(), currency.to_owned());
        Price { of, amount, currency, usd_per_unit, rate_date: None, terms: None }
    }

    fn total(prices: &[Price]) -> Option<(f64, String)> {
        Money::total(prices).map(|m| (m.amount, m.currency))
    }

    #[test]
    fn prices_are_added_up_only_in_one_currency() {
        let (chf, eur) = (price(100.0, "CHF", None), price(10.0, "EUR", Some(1.5)));
        let usd = price(7.0, "USD", None);
        assert_eq!(total(&[]), None);
        assert_eq!(total(&[eur.clone(), usd.clone()]), Some((22.0, "USD".to_owned())));
        assert_eq!(total(&[chf.clone(), chf.clone()]), Some((200.0, "CHF".to_owned())));
        assert_eq!(total(&[chf.clone(), usd]), None);
        assert_eq!(total(&[chf, eur]), None);
    }

    #[test]
    fn money_has_no_crumbs() {
        let both = [price(54_000.0, "EUR", Some(1.08)), price(210_000.0, "CHF", Some(1.12))];
        assert_eq!((both[0].usd(), total(&both)), (Some(58_320.0), Some((293_520.0, "USD".to_owned()))));
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        assert!(price(0.0, "EUR", None).check().is_ok());
        for bad in [f64::NAN, f64::INFINITY, -1.0, 1e16] {
            assert!(price(bad, "EUR", None).check().is_err(), "{bad}");
        }
        for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            assert!(price(1.0, "EUR", Some(bad)).check().is_err(), "{bad}");
        }
        for bad in ["", "eur", "EURO", "€", "E R"] {
            assert!(price(1.0, bad, None).check().is_err(), "{bad}");
        }
    }
}
