//! What each test measures, as the hash that a run stores: entry, mapping and every statement at a size. A changed hash
//! means that figures from before and after cannot be compared, so a change must be intended. `DBDYNO_BLESS=1` writes
//! the golden file again.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{EngineInfo, Features};
use dbdyno_model::Size;
use dbdyno_run::{PlanContext, RunRequest, resolve};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/definitions.txt");
const FEATURES: Features = Features {
    in_process: false,
    local: true,
    loads_on_demand: true,
    single_writer: false,
    nodes: 1,
    block_bytes: 8_192,
};

/// Definitions by test.
fn definitions(catalogue: &Catalogue, engine: &EngineInfo, size: &Size) -> BTreeMap<String, String> {
    let what = catalogue.tests().iter().map(|test| test.code.to_string()).collect();
    let request = RunRequest { what, jobs: Some(1), threads: Some(1), ..RunRequest::default() };
    let ground = PlanContext { catalogue, engine, features: FEATURES, size, seed: 42, hardware_threads: 4 };
    let points = resolve(&request, ground).unwrap().points;
    points.into_iter().map(|point| (point.subject.name().to_string(), point.definition)).collect()
}

#[test]
fn definitions_change_only_where_somebody_means_it() {
    let catalogue = Catalogue::embedded().unwrap();
    let mut found = String::from("engine code");
    catalogue.sizes().iter().for_each(|size| write!(found, " {}", size.id).unwrap());
    found.push('\n');
    for engine in dbdyno::ENGINES.all() {
        let of_sizes: Vec<_> = catalogue.sizes().iter().map(|size| definitions(&catalogue, engine, size)).collect();
        assert_eq!(of_sizes[0].len(), catalogue.tests().len());
        for code in of_sizes[0].keys() {
            write!(found, "{} {code}", engine.name).unwrap();
            of_sizes.iter().for_each(|of_size| write!(found, " {}", of_size[code]).unwrap());
            found.push('\n');
        }
    }
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(GOLDEN, &found).unwrap();
    }
    let golden = std::fs::read_to_string(GOLDEN).unwrap();
    for (before, now) in golden.lines().zip(found.lines()) {
        assert_eq!(before, now, "the definition has changed");
    }
    assert_eq!(golden.lines().count(), found.lines().count(), "tests or engines have come or gone");
}
