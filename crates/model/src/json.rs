//! The JSON document of a run: the contract of `show --json`, `run --json` and `export`.

use crate::{
    Cell, Costs, Database, Described, DescribedValue, DocumentPart, Money, Pairing, Plan, Platform, Point, Published,
    Run, RunNote, SearchOutcome, Status, StorageReference, SubjectName, Tool, USD, version_1,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Version of the document. Readers ignore unknown keys; a change that breaks them raises this number.
pub const SCHEMA_VERSION: u32 = 2;

/// Converts a text of an older version to this version. Every reader of older texts uses this function.
///
/// # Errors
/// The text is no JSON.
pub fn in_this_version(part: DocumentPart, version: u32, text: &str) -> serde_json::Result<Cow<'_, str>> {
    if version >= SCHEMA_VERSION {
        return Ok(Cow::Borrowed(text));
    }
    let mut value = serde_json::from_str(text)?;
    version_1::convert(part, &mut value);
    serde_json::to_string(&value).map(Cow::Owned)
}

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunJson {
    /// `SCHEMA_VERSION` of the writer.
    pub schema_version: u32,
    /// The run.
    pub run: Run,
    /// The dbdyno that measured it; absent in older documents and published results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// The platform sheet.
    pub platform: Platform,
    /// The database; absent where I/O was measured below any.
    #[serde(default, skip_serializing_if = "Database::is_none")]
    pub database: Database,
    /// The newest measurement of every planned point, in the plan's order.
    pub points: Vec<Point>,
    /// The cells that they make up.
    pub cells: Vec<Cell>,
    /// Present where this is a published result, not a run of dbdyno.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// What the owner says of the platform. For a published result, what its file says beyond the publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<Described>,
    /// What users noted of the run, the oldest first. Notes stay in the file in which they were made: a run that is
    /// imported brings none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<RunNote>,
    /// What the platform costs, where its owner or its file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// What the storage itself can do, where that was measured too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_reference: Option<StorageReference>,
    /// Searches that chose the points, with what they found. Absent where all points were planned at once, and in older
    /// documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<SearchOutcome>,
    /// The run that it was measured in turn with. Absent for runs alone, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairing: Option<Pairing>,
}

impl RunJson {
    /// Puts a run together: sets the flags that need all points (`uneven_machine`) and computes the cells.
    #[must_use]
    pub fn new(run: Run, platform: Platform, database: Database, mut points: Vec<Point>) -> Self {
        crate::pace_spread::judge(&mut points);
        let cells = Cell::of_points(&points);
        Self {
            schema_version: SCHEMA_VERSION,
            run,
            tool: None,
            platform,
            database,
            points,
            cells,
            published: None,
            described: None,
            notes: Vec::new(),
            costs: None,
            storage_reference: None,
            searches: Vec::new(),
            pairing: None,
        }
    }

    /// Adds what the run's plan says of it: its pairing, and what its searches found. `places` has the place of each
    /// point in the plan.
    pub fn add_from_plan(&mut self, plan: &Plan, places: &[usize]) {
        self.pairing.clone_from(&plan.pairing);
        let measured: Vec<(usize, &Point)> = places.iter().copied().zip(&self.points).collect();
        self.searches = plan.search_outcomes(&measured);
    }

    /// Whether a search that found what it looked for went too far at a point, as it does on purpose: a rate that could
    /// not be carried, users who were refused. What makes a point invalid otherwise is no part of a search.
    #[must_use]
    pub fn is_beyond_an_answer(&self, point: &Point) -> bool {
        let subject = point.subject.requested();
        let answers = |search: &SearchOutcome| search.finding.is_some() && search.subject == subject;
        (point.status == Status::Failed || point.overload) && self.searches.iter().any(answers)
    }

    /// Gives the run what its owner says of the platform, with what follows from it: the claims that contradict what
    /// was observed, and the costs. A stated number of licences is spread over the cores.
    pub fn describe(&mut self, described: Option<Described>) {
        self.costs = described.as_ref().and_then(Described::costs);
        let stated = described.as_ref().and_then(|d| d.licences.get("count")?.number());
        if let (Some(count), Some(cores)) = (stated, self.platform.cpu.cores.filter(|n| *n > 0)) {
            self.costs.get_or_insert_default().licences_per_core = Some(count / f64::from(cores));
        }
        self.described = described.map(|mut described| {
            described.differs = described.differences(&self.platform, &self.database);
            described
        });
    }

    /// The owner's remarks on a subject.
    pub fn remarks_on<'r>(&'r self, subject: SubjectName<'r>) -> impl Iterator<Item = &'r str> {
        self.described.iter().flat_map(move |described| described.remarks_on(subject))
    }

    /// The price of the platform: in US dollars where that is known, else in the currency that all its prices stand
    /// in. Only prices in one currency can be compared.
    #[must_use]
    pub fn price(&self) -> Option<Money> {
        let usd = self.costs.as_ref().and_then(Costs::total_usd);
        let usd = usd.map(|amount| Money { amount, currency: USD.to_owned() });
        usd.or_else(|| self.described.as_ref()?.total())
    }

    /// The licences that the platform needs: as many as its owner says, else its cores times the licences of one. Where
    /// nobody saw the cores, they are as many as its owner says, too.
    #[must_use]
    pub fn licences(&self) -> Option<f64> {
        let said = |of: fn(&Described) -> Option<&DescribedValue>| self.described.as_ref().and_then(of)?.number();
        let per_core = self.costs.as_ref().and_then(|costs| costs.licences_per_core);
        let seen = self.platform.cpu.cores.filter(|n| *n > 0).map(f64::from);
        let cores = seen.or_else(|| said(|d| d.platform.get("cores")));
        said(|d| d.licences.get("count")).or_else(|| Some(cores? * per_core?))
    }

    /// Whether the run measured storage below any database, and nothing else.
    #[must_use]
    pub fn is_of_storage(&self) -> bool {
        self.database.is_none() && self.published.is_none()
    }

    /// The name that readers use: the label, or the id where there is no label.
    #[must_use]
    pub fn name(&self) -> &str {
        self.run.label.as_deref().unwrap_or(self.run.id.as_str())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Cpu, Price, RunId, RunStatus};

    pub(crate) fn run() -> RunJson {
        let run = Run {
            id: RunId::from_random(1),
            label: None,
            suite: String::new(),
            size: String::new(),
            seed: 0,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            tool_version: String::new(),
            target: String::new(),
            status: RunStatus::Done,
        };
        let platform = Platform { cpu: Cpu { cores: Some(16), ..Cpu::default() }, ..Platform::default() };
        RunJson::new(run, platform, Database::default(), Vec::new())
    }

    fn described(cores: u64) -> Described {
        let price = |amount| Price {
            of: "server".to_owned(),
            amount,
            currency: "CHF".to_owned(),
            usd_per_unit: None,
            rate_date: None,
            terms: None,
        };
        Described {
            platform: [("cores".to_owned(), DescribedValue::Count(cores))].into(),
            licences: [("core_factor".to_owned(), DescribedValue::Number(0.5))].into(),
            prices: vec![price(100.0)],
            ..Described::default()
        }
    }

    #[test]
    fn a_claim_stands_beside_what_was_observed() {
        let mut run = run();
        run.describe(Some(described(32)));
        assert_eq!(run.platform.cpu.cores, Some(16));
        assert_eq!(run.described.as_ref().unwrap().differs[0].key, "platform.cores");
        assert_eq!(run.licences(), Some(8.0), "by the cores that were seen");
        run.describe(Some(described(16)));
        assert_eq!(run.described.as_ref().unwrap().differs, []);
        run.describe(None);
        assert_eq!((run.described.clone(), run.costs.clone(), run.licences()), (None, None, None));
    }

    #[test]
    fn stated_licences_precede_computed_ones() {
        let mut run = run();
        let mut described = described(16);
        described.licences.insert("count".to_owned(), DescribedValue::Count(6));
        run.describe(Some(described));
        assert_eq!(run.licences(), Some(6.0));
        assert_eq!(run.costs.unwrap().licences_per_core, Some(0.375), "6 for 16 cores");
    }

    #[test]
    fn of_a_server_that_nobody_saw_its_owner_says_the_cores() {
        let mut run = run();
        run.platform = Platform::default();
        run.describe(Some(described(32)));
        assert_eq!(run.licences(), Some(16.0));
        assert_eq!(run.platform.cpu.cores, None);
    }

    #[test]
    fn a_price_has_one_currency() {
        let mut run = run();
        assert_eq!(run.price(), None);
        run.describe(Some(described(16)));
        assert_eq!(run.price(), Some(Money { amount: 100.0, currency: "CHF".to_owned() }));
        run.costs.as_mut().unwrap().prices_usd.insert("server".to_owned(), 5.0);
        assert_eq!(run.price(), Some(Money { amount: 5.0, currency: "USD".to_owned() }));
    }
}
