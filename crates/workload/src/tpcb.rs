//! pgbench's TPC-B-like transaction: an amount is booked on an account, its teller and a branch, which are drawn
//! independently of each other as pgbench does it, and noted in a history that only grows.

use crate::{About, DataSpec, Ended, User, Workload};
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Values};
use dbdyno_engine::data::Keys;
use dbdyno_engine::program::{Act, Program, TransactionType, TypeId};
use dbdyno_model::{Drive, Parameters, Scale};

const ACCOUNTS: u64 = 100_000;
const TELLERS: u64 = 10;
/// Amounts go from minus this to this.
const MOST: i64 = 5_000;

const ACCOUNT: usize = 0;
const TELLER: usize = 1;
const BRANCH: usize = 2;
const AMOUNT: usize = 3;

/// A statement's name, and which of what was drawn `:1`, `:2` ... are.
type Step = (&'static str, &'static [usize]);

fn steps(form: Drive) -> &'static [Step] {
    match form {
        Drive::Client => &[
            ("update_account", &[AMOUNT, ACCOUNT]),
            ("select_balance", &[ACCOUNT]),
            ("update_teller", &[AMOUNT, TELLER]),
            ("update_branch", &[AMOUNT, BRANCH]),
            ("insert_history", &[TELLER, BRANCH, ACCOUNT, AMOUNT]),
        ],
        Drive::Server => &[("transfer", &[ACCOUNT, TELLER, BRANCH, AMOUNT])],
    }
}

pub(crate) struct TpcB;

impl Workload for TpcB {
    fn about(&self) -> &'static About {
        &About {
            name: "tpcb",
            title: "pgbench's TPC-B-like transaction: three updates, a select and an insert",
            load_words: "changes and adds rows of its own tables; commits again and again",
            scale_words: "1 branch, 10 tellers and 100,000 accounts",
            scale_step: Scale::ONE,
            scale_by_default: Scale::ONE,
            unit: None,
            row_is_block: false,
            version: 1,
            commits: &[1],
            nothing_outside: true,
            tables: include_str!("tpcb.toml"),
        }
    }

    fn types(&self) -> Vec<TransactionType> {
        vec![TransactionType { name: "transfer".to_owned(), weight: 1 }]
    }

    fn statements(&self, form: Drive) -> Vec<&'static str> {
        steps(form).iter().map(|(name, _)| *name).collect()
    }

    fn program(&self, user: User, types: Vec<TransactionType>) -> Box<dyn Program> {
        let (keys, values) = (Keys::at(user.seed, user.number, 0), Values::new());
        let did = ChunkResult::default();
        Box::new(Transfers { types, user, keys, drawn: [0; 4], at: 0, values, did })
    }

    fn misloaded(&self, data: &DataSpec, counted: &[i64]) -> Vec<String> {
        let expected = [1, TELLERS, ACCOUNTS].map(|rows| data.scale.rows(rows).cast_signed());
        let said = format!("branches, tellers and accounts are {counted:?}, and should be {expected:?}");
        (counted != expected).then_some(said).into_iter().collect()
    }

    fn broken(&self, figures: &[i64]) -> Vec<String> {
        let one = matches!(figures, [sum, others @ .., _] if others == [*sum; 3]);
        let said = format!(
            "accounts, tellers, branches and the history must have one sum, and theirs and the history's rows are {figures:?}"
        );
        (!one).then_some(said).into_iter().collect()
    }

    fn miscounted(
        &self,
        (before, after): (&[i64], &[i64]),
        ended: &[Ended],
        _: (&DataSpec, &Parameters),
    ) -> Vec<String> {
        let ([.., amounts_before, rows_before], [.., amounts, rows]) = (before, after) else { return Vec::new() };
        let ended = ended.first().copied().unwrap_or_default();
        let grew = ended.misfit("the history", rows - rows_before);
        let (moved, booked) = (amounts - amounts_before, ended.sum.cast_signed());
        let other = (ended.unknown == 0 && moved != booked)
            .then(|| format!("the amounts of the history grew by {moved}, and {booked} was acknowledged"));
        grew.into_iter().chain(other).collect()
    }
}

/// The transactions of a user.
struct Transfers {
    types: Vec<TransactionType>,
    user: User,
    keys: Keys,
    /// By the places in [`steps`].
    drawn: [i64; 4],
    /// The statement that comes next.
    at: usize,
    values: Values,
    did: ChunkResult,
}

impl Program for Transfers {
    fn types(&self) -> &[TransactionType] {
        &self.types
    }

    fn begin(&mut self) -> TypeId {
        let (scale, most) = (self.user.data.scale, MOST.unsigned_abs());
        let mut one_of = |n: u64| 1 + self.keys.draw(n).cast_signed();
        let [account, branch, teller] = [ACCOUNTS, 1, TELLERS].map(|rows| one_of(scale.rows(rows)));
        self.drawn = [account, teller, branch, one_of(2 * most + 1) - 1 - MOST];
        self.again();
        TypeId::FIRST
    }

    fn again(&mut self) {
        self.at = 0;
        self.did = ChunkResult { checksum: self.drawn[AMOUNT].cast_unsigned(), ..ChunkResult::default() };
    }

    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>) -> Act {
        self.did.rows += reply.map_or(0, |(done, _)| done.rows);
        let (steps, alone) = (steps(self.user.form), self.user.form == Drive::Server);
        let statement = self.at;
        self.at += 1;
        let Some((_, places)) = steps.get(statement) else {
            return if statement == steps.len() && !alone { Act::Commit } else { Act::Ended };
        };
        self.values.clear();
        for place in *places {
            self.values.push(self.drawn[*place]);
        }
        Act::Execute { statement, times: 1, opens: !alone && statement == 0 }
    }

    fn values(&self) -> &Values {
        &self.values
    }

    fn did(&self) -> ChunkResult {
        self.did
    }
}

#[cfg(test)]
mod tests;
