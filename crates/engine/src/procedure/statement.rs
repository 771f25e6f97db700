//! The statement under test: what stands in a procedure between `/*test*/` and `/*end*/`, as it is explained and as a
//! client sends it. What a client must find beforehand stands between `/*finds*/` and `/*found*/`. Where jobs side by
//! side run another text than one alone, because they would read for each other, it stands between `/*beside*/` and
//! `/*end*/`; it has no variables, and must have the same plan.

use super::dialect::PlanRule;
use super::{ProcedureDialect, ProcedureSpec};
use crate::client::{Answer, Bound, Parameter, Reads, TestForm, TestProgram, Value, ValueType};
use crate::program::{Act, Outcome, Program as _};
use crate::server::{between, fits, has_nodes, replace_variables};
use crate::{ChunkResult, EngineError, PointSpec};
use dbdyno_model::RowsBy;

/// Marks around the statement under test.
const TEST: (&str, &str) = ("/*test*/", "/*end*/");
/// Marks around the text of jobs side by side, where that is another.
const BESIDE: (&str, &str) = ("/*beside*/", "/*end*/");
/// Marks around what finds the rows that it is about.
const FINDS: (&str, &str) = ("/*finds*/", "/*found*/");

/// The variables of procedures, and what a client has for each.
const VARIABLES: [(&str, Parameter); 15] = [
    ("v_key", Parameter::Key),
    ("v_last", Parameter::LastKey),
    ("v_id", Parameter::Id),
    ("v_source", Parameter::Source),
    ("v_from", Parameter::From),
    ("v_to", Parameter::To),
    ("p_small_rows", Parameter::SmallRows),
    ("v_region", Parameter::Region),
    ("v_customer_id", Parameter::CustomerId),
    ("v_ref_id", Parameter::RefId),
    ("v_booked_on", Parameter::BookedOn),
    ("v_quantity", Parameter::Quantity),
    ("v_amount", Parameter::Amount),
    ("v_status", Parameter::Status),
    ("v_filler", Parameter::Filler),
];

/// A variable of a statement under test, as the note `variables` declares it: `v_from date = 2020-01-01`.
struct Variable {
    name: String,
    /// Its type; empty where the server needs none.
    of: String,
    example: String,
}

/// A statement as a client sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientText {
    /// Its text, with places for its values.
    pub sql: String,
    /// What each of its values is, in the order of their numbers.
    pub parameters: Vec<Parameter>,
    /// As in the procedure.
    variables: String,
}

/// What a test's statements are for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientForm {
    /// The statements, in the order of their numbers.
    pub texts: Vec<ClientText>,
    /// What they are given, and what their answers say.
    pub form: TestForm,
}

impl ProcedureSpec {
    /// The statement under test as the procedure has it, without the lines that only procedures have; none where the
    /// procedure has no such mark.
    fn under_test(&self, marks: (&str, &str)) -> Result<Option<String>, EngineError> {
        let Some(text) = between(&self.written.text, marks) else { return Ok(None) };
        let text = self.fill(text)?;
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("INTO v_"));
        Ok(Some(lines.collect::<Vec<_>>().join("\n")))
    }

    /// Whether jobs side by side run another text than one alone.
    #[must_use]
    pub fn has_text_beside(&self) -> bool {
        self.written.text.contains(BESIDE.0)
    }

    fn variables(&self) -> Result<Vec<Variable>, EngineError> {
        let note = self.written.notes.get("variables").map(String::as_str).unwrap_or_default();
        let declared = note.split(';').map(str::trim).filter(|variable| !variable.is_empty());
        let variable = |text: &str| {
            let wrong = || EngineError::other(format!("{}: variables: {text}", self.statement));
            let (name, example) = text.split_once('=').ok_or_else(wrong)?;
            let (name, of) = name.trim().split_once(' ').unwrap_or((name.trim(), ""));
            Ok(Variable { name: name.to_owned(), of: of.to_owned(), example: example.trim().to_owned() })
        };
        declared.map(variable).collect()
    }

    /// A text of a statement with the places of its variables, each numbered as it is declared.
    fn with_places(&self, text: &str, variables: &[Variable]) -> Result<String, EngineError> {
        let rules = self.rules()?;
        let replace =
            |text: String, (n, variable): (usize, &Variable)| text.replace(&variable.name, &rules.parameter(n));
        Ok((1..).zip(variables).fold(text.to_owned(), replace))
    }

    /// The statement that explains the statement under test of a point with examples for its variables; none where no
    /// plan is asked for.
    ///
    /// # Errors
    /// The note `variables` cannot be understood.
    pub fn explain(&self, spec: &PointSpec) -> Result<Option<String>, EngineError> {
        match self.has_text_beside() && spec.jobs_in_all() > 1 {
            true => self.explain_text(BESIDE, Vec::new(), ""),
            false => self.explain_text(TEST, self.variables()?, ""),
        }
    }

    /// The same of the statement as a client sends it.
    ///
    /// # Errors
    /// As for [`ProcedureSpec::explain`].
    pub fn explain_sent(&self) -> Result<Option<String>, EngineError> {
        self.explain_text(TEST, self.variables()?, &self.added()?)
    }

    fn explain_text(
        &self,
        marks: (&str, &str),
        variables: Vec<Variable>,
        added: &str,
    ) -> Result<Option<String>, EngineError> {
        let (Some(text), Some(_)) = (self.under_test(marks)?, self.note("plan")?) else { return Ok(None) };
        let (rules, text) = (self.rules()?, format!("{text}{added}"));
        let listed =
            |texts: Vec<String>| if texts.is_empty() { String::new() } else { format!("({})", texts.join(", ")) };
        let statement = if rules.keeps_places() {
            self.with_places(&text, &variables)?
        } else {
            let replace = |text: String, variable: &Variable| text.replace(&variable.name, &variable.example);
            replaced(&variables.iter().fold(text, replace), &rules.explained)
        };
        let types = listed(variables.iter().map(|variable| variable.of.clone()).collect());
        let examples = listed(variables.iter().map(|variable| format!("'{}'", variable.example)).collect());
        let explained = rules.explain.replace("{types}", &types).replace("{examples}", &examples);
        Ok(Some(explained.replace("{statement}", &statement)))
    }

    /// The plan that the statement under test must have; none where no plan is asked for.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub fn expected_plan(&self, spec: &PointSpec) -> Result<Option<String>, EngineError> {
        let of_threads = self.clone().with("threads", spec.threads.to_string());
        let own = format!("plan {}", self.table.organisation().name());
        let of_kind = if self.has_partitions() { "plan many parallel" } else { "plan one parallel" };
        let note = |key: &&str| self.written.notes.get(*key);
        let parallel = [own.as_str(), of_kind, "plan parallel"].iter().filter(|_| spec.threads > 1).find_map(note);
        match parallel {
            Some(note) => of_threads.fill(note).map(Some),
            None => of_threads.note("plan"),
        }
    }

    /// Whether the table is partitioned by columns that a statement can name.
    #[must_use]
    pub fn has_partitions(&self) -> bool {
        self.variants().contains(&"many")
    }

    /// What is wrong with a plan, if anything.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub fn plan_problem(&self, spec: &PointSpec, found: &str) -> Result<Option<String>, EngineError> {
        let Some(expected) = self.expected_plan(spec)? else { return Ok(None) };
        Ok(match self.rules()?.plans {
            PlanRule::Whole => {
                (!fits(&expected, found)).then(|| format!("the plan must be {expected}, and is {found}"))
            }
            PlanRule::Nodes => has_nodes(&expected, &self.note("never")?.unwrap_or_default(), found).err(),
        })
    }

    /// What a client's statement ends with beside the statement under test.
    fn added(&self) -> Result<String, EngineError> {
        Ok(self.note("client adds")?.map(|added| format!(" {added}")).unwrap_or_default())
    }

    /// The statements as a client sends them.
    ///
    /// # Errors
    /// `Unsupported` where no client would send the test's work statement by statement.
    pub fn client_form(&self) -> Result<ClientForm, EngineError> {
        let procedure = self.test.procedure;
        let text = self.under_test(TEST)?.filter(|_| procedure.has_client_form());
        let text = text.ok_or_else(crate::client::unsupported)? + &self.added()?;
        let finds = between(&self.written.text, FINDS).map(|text| self.fill(text)).transpose()?;
        let finds = finds.map(|text| self.client_text(&text)).transpose()?;
        let test = self.client_text(&text)?;
        let reads = match self.note("client reads")?.as_deref() {
            Some("quantities") => Reads::Quantities,
            _ if procedure.commits() => Reads::Changes,
            _ => Reads::Sums,
        };
        let form = TestForm {
            parameters: test.parameters.clone(),
            reads,
            // Months from one on, then those before it.
            in_two: procedure.rows_by == Some(RowsBy::SecondaryKey) && test.parameters.contains(&Parameter::To),
            finds: finds.as_ref().map(|finds| finds.parameters.clone()),
        };
        Ok(ClientForm { texts: finds.into_iter().chain([test]).collect(), form })
    }

    fn client_text(&self, text: &str) -> Result<ClientText, EngineError> {
        let (rules, variables) = (self.rules()?, replaced(text, &self.rules()?.sent));
        let mut parameters = Vec::new();
        let mut sql = replace_variables(&variables, &VARIABLES, |parameter| {
            parameters.push(parameter);
            rules.parameter(parameters.len())
        })?;
        if rules.keeps_places() {
            let declared = self.variables()?;
            let known = |variable: &Variable| VARIABLES.iter().find(|(name, _)| *name == variable.name);
            let unknown = |variable: &Variable| {
                EngineError::other(format!("{}: a client has no value for {}", self.statement, variable.name))
            };
            let parameter = |variable: &Variable| known(variable).map(|known| known.1).ok_or_else(|| unknown(variable));
            parameters = declared.iter().map(parameter).collect::<Result<_, _>>()?;
            sql = self.with_places(&variables, &declared)?;
        }
        Ok(ClientText { sql, parameters, variables })
    }
}

impl ProcedureDialect {
    /// Whether a statement that is explained keeps the places of its values, each once.
    fn keeps_places(&self) -> bool {
        self.explain.contains("{examples}")
    }
}

fn replaced(text: &str, pairs: &[[String; 2]]) -> String {
    pairs.iter().fold(text.to_owned(), |text, [from, to]| text.replace(from, to))
}

impl ClientText {
    /// What each value is, for a server that cannot tell.
    #[must_use]
    pub fn types(&self) -> Vec<ValueType> {
        self.parameters.iter().map(|parameter| parameter.value_type()).collect()
    }

    /// The statement with values in the place of its parameters, each written by `write`.
    ///
    /// # Errors
    /// A variable is not known.
    pub fn written<'v>(
        &self,
        mut values: impl Iterator<Item = Value<'v>>,
        write: impl Fn(Value<'v>) -> String,
    ) -> Result<String, EngineError> {
        replace_variables(&self.variables, &VARIABLES, |_| write(values.next().unwrap_or(Value::Null)))
    }
}

impl ClientForm {
    /// What a client sends for a transaction, in the order of sending: the second transaction, as the script's
    /// procedure has inserted the rows of the first. The statements of so many lookups stand for all, and one lookup
    /// for those of all rows that were found.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub fn example(
        &self,
        spec: &PointSpec,
        shown_most: u64,
        [begin, commit]: [&str; 2],
        write: impl Fn(Value<'_>) -> String,
    ) -> Result<Vec<String>, EngineError> {
        let (mut program, mut sent, mut shown) = (TestProgram::new(spec, 0, self.form.clone()), Vec::new(), 0);
        let (done, mut found) = (ChunkResult::default(), Answer::default());
        found.begin_row().push(1);
        program.ended(Outcome::Committed);
        program.begin();
        let mut act = program.act(None);
        loop {
            match act {
                Act::Execute { statement, times, opens } => {
                    sent.extend(opens.then(|| begin.to_owned()));
                    shown += u64::from(statement == 0);
                    let bound = Bound { statement, values: program.values(), times, opens };
                    let takes = bound.values.len() / times.max(1);
                    for execution in (0..times).filter(|_| shown <= shown_most) {
                        sent.push(self.texts[statement].written(bound.of_execution(execution, takes), &write)?);
                    }
                }
                Act::Commit => sent.push(commit.to_owned()),
                _ => return Ok(sent),
            }
            act = program.act(Some((&done, &found)));
        }
    }
}
