//! What a session does: operations of three kinds, in shares that are exact in each hundred of them.

use crate::User;
use crate::slob_conf::{Conf, RedoStress};
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Values};
use dbdyno_engine::data::mix;
use dbdyno_engine::program::{Act, Program, TransactionType, TypeId};
use dbdyno_model::Drive;
use std::fmt::Write as _;
use std::time::UNIX_EPOCH;
use strum::{IntoStaticStr, VariantArray};

/// The schema that hot operations go to.
pub(super) const FIRST_UNIT: u32 = 1;
/// Characters of a text.
const CHARS: usize = 128;
/// Operations whose shares are exact.
const HUNDRED: usize = 100;

/// The statements of a schema, by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Sent {
    Select,
    UpdateLite,
    UpdateHeavy,
    Scan,
}

/// What an operation does, by the number of its type.
const SELECT: u8 = 0;
const UPDATE: u8 = 1;
const SCAN: u8 = 2;

/// The schema of a user: users are dealt out to the schemas that a run uses.
pub(super) fn own_unit(user: &User, conf: &Conf) -> u32 {
    let schemas = (user.of / conf.threads_per_schema.max(1)).max(1);
    FIRST_UNIT + user.number % schemas
}

/// The operations of a session.
pub(super) struct Operations {
    types: Vec<TransactionType>,
    conf: Conf,
    form: Drive,
    seed: u64,
    /// Numbers drawn so far.
    drawn: u64,
    /// Where texts come from: another moment for each run, so that no update writes what is there already.
    written_from: u64,
    /// The kinds of the hundred operations under way, in their order.
    hundred: [u8; HUNDRED],
    /// Operations begun so far.
    begun: u64,
    kind: u8,
    statement: usize,
    /// The pause before the operation, if there is one that has not been made.
    pause_ns: Option<u64>,
    sent: bool,
    /// What an update writes.
    text: String,
    values: Values,
    did: ChunkResult,
}

impl Operations {
    pub(super) fn new(types: Vec<TransactionType>, user: &User, conf: Conf) -> Self {
        let seed = mix(user.seed ^ mix(u64::from(user.number) + 1));
        let now = UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64);
        Self {
            types,
            conf,
            form: user.form,
            seed,
            drawn: 0,
            written_from: mix(seed ^ now),
            hundred: [SELECT; HUNDRED],
            begun: 0,
            kind: SELECT,
            statement: 0,
            pause_ns: None,
            sent: false,
            text: String::with_capacity(CHARS),
            values: Values::new(),
            did: ChunkResult::default(),
        }
    }

    /// One of `0..n`.
    fn draw(&mut self, n: u64) -> u64 {
        self.drawn += 1;
        ((u128::from(mix(self.seed ^ mix(self.drawn))) * u128::from(n)) >> 64) as u64
    }

    /// Deals out the kinds of the next hundred operations, and shuffles them (Durstenfeld, CACM 7(7), 1964).
    fn deal(&mut self) {
        let (updates, scans) = (self.conf.update_pct as usize, self.conf.scan_pct as usize);
        self.hundred = [SELECT; HUNDRED];
        self.hundred[..updates].fill(UPDATE);
        self.hundred[updates..updates + scans].fill(SCAN);
        (1..HUNDRED).rev().for_each(|last| {
            let other = self.draw(last as u64 + 1) as usize;
            self.hundred.swap(last, other);
        });
    }

    /// The keys that an operation lies strictly between.
    fn keys(&mut self) -> [u64; 2] {
        let Conf { scale_blocks, work_unit, hotspot, .. } = self.conf;
        // The greater key is at least one beyond the unit, so that all keys between are there.
        let (first, last) = match hotspot.filter(|spot| comes(self.begun, spot.every)) {
            Some(spot) => (spot.first_block + work_unit + 1, spot.first_block + spot.blocks),
            None => (work_unit + 1, scale_blocks - work_unit),
        };
        let high = first + self.draw(last - first + 1);
        [high - work_unit, high]
    }
}

/// Whether something comes with the operation of this number, 1 and up, which comes with every so many; 0 is never.
fn comes(operation: u64, every: u32) -> bool {
    every > 0 && operation.is_multiple_of(u64::from(every))
}

impl Program for Operations {
    fn types(&self) -> &[TransactionType] {
        &self.types
    }

    fn begin(&mut self) -> TypeId {
        let place = (self.begun % HUNDRED as u64) as usize;
        if place == 0 {
            self.deal();
        }
        self.begun += 1;
        self.kind = self.hundred[place];
        let sent = match (self.kind, self.conf.redo_stress) {
            (UPDATE, RedoStress::Lite) => Sent::UpdateLite,
            (UPDATE, RedoStress::Heavy) => Sent::UpdateHeavy,
            (SCAN, _) => Sent::Scan,
            _ => Sent::Select,
        };
        let hot = comes(self.begun, self.conf.hot_schema_every);
        self.statement = sent as usize + if hot { Sent::VARIANTS.len() } else { 0 };
        self.values.clear();
        if self.kind != SCAN {
            self.keys().into_iter().for_each(|key| _ = self.values.push(key.cast_signed()));
        }
        if self.kind == UPDATE {
            let number = mix(self.written_from ^ self.drawn);
            self.text.clear();
            while self.text.len() < CHARS {
                _ = write!(self.text, "{number:016x}");
            }
            self.values.push(self.text.as_str());
        }
        let pause = self.conf.think.filter(|think| comes(self.begun, think.every));
        self.pause_ns = pause.map(|think| think.least_ns + self.draw(think.most_ns - think.least_ns + 1));
        self.again();
        TypeId::new(self.kind)
    }

    fn again(&mut self) {
        (self.sent, self.did) = (false, ChunkResult::default());
    }

    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>) -> Act {
        if let Some(pause_ns) = self.pause_ns.take() {
            return Act::Think(pause_ns);
        }
        if !self.sent {
            self.sent = true;
            return Act::Execute { statement: self.statement, times: 1, opens: false };
        }
        if let Some((done, answer)) = reply {
            // What counts rows answers with their number; a client's update is counted by the server.
            let counted = self.kind != UPDATE || self.form == Drive::Server;
            let rows = if counted { answer.int(0, 0).map_or(0, |rows| rows.max(0).cast_unsigned()) } else { done.rows };
            self.did = ChunkResult { rows, checksum: rows, ..ChunkResult::default() };
        }
        Act::Ended
    }

    fn values(&self) -> &Values {
        &self.values
    }

    fn did(&self) -> ChunkResult {
        self.did
    }

    fn changes(&self) -> bool {
        self.kind == UPDATE
    }
}
