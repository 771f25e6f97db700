//! `dbdyno k8s`: a Job for Kubernetes that loads and measures a database of the cluster from inside it.
//!
//! The text has comments for whoever applies it, so it is written from templates. What the user chose is a checked
//! name, or a JSON string, which is a YAML string, too.

use super::context::Context;
use crate::cli::{IN_CLUSTER, InCluster, KubernetesArgs};
use crate::error::Error;
use crate::output::{self, shell_word};
use crate::secrets;
use dbdyno::ENGINES;
use dbdyno_engine::Target;
use dbdyno_model::Size;
use dbdyno_report::steers;

/// How long the run waits for its agents: images must come, too.
const FLEET_WAIT: &str = "10m";
/// An agent's name has its number.
const AGENT_NAME: &str = "agent-$(DBDYNO_AGENT)";
/// Room for the results: they are small.
const STORAGE_RESULTS: &str = "1Gi";
/// Bytes of a row in a database on the claim, with its share of indexes, copies and sorts.
const ROW_BYTES: u64 = 800;
/// The least room for such a database, in GiB.
const LEAST_DATABASE_GIB: u64 = 4;

pub(super) fn kubernetes(args: &KubernetesArgs, context: &Context) -> Result<(), Error> {
    refuse_hidden("suite", &args.suite)?;
    let catalogue = &context.catalogue;
    let is_suite = catalogue.suites().iter().any(|suite| suite.id == args.suite);
    if !is_suite && args.suite.contains(|c: char| c.is_ascii_digit() || c == '*') {
        catalogue.select(&args.suite)?;
    } else {
        catalogue.suite(&args.suite)?;
    }
    let size = catalogue.size(&args.size)?;
    let (place, target) = target(args)?;
    if args.fleet.is_some() && !place.has_server {
        let engine = place.engine;
        return Err(Error::Usage(format!("{engine} works inside one process, which no other host can share")));
    }
    output::text(&job(args, place, &target, size))?;
    context.suggest_next("kubectl apply --filename FILE", "starts it; the text says what it needs");
    Ok(())
}

/// Refuses what would not stand on one line as it is.
fn refuse_hidden(what: &str, text: &str) -> Result<(), Error> {
    match text.chars().find(|c| steers(*c) || c.is_whitespace()) {
        Some(' ') => Err(Error::Usage(format!("the {what} has a blank; several tests have commas between"))),
        Some(c) => Err(Error::Usage(format!("the {what} has a character that cannot be seen: {c:?}"))),
        None => Ok(()),
    }
}

/// The engine, and the target as the Job gets it.
///
/// # Errors
/// There is no such engine in a cluster, or the target is none, or has a password.
fn target(args: &KubernetesArgs) -> Result<(&'static InCluster, String), Error> {
    let refused = |problem: String| Err(Error::Usage(problem));
    let in_cluster = |name: &str| -> Result<&'static InCluster, Error> {
        let engine = ENGINES.engine(name)?;
        IN_CLUSTER.iter().find(|place| place.engine == engine.name).ok_or_else(|| {
            let known: Vec<&str> = IN_CLUSTER.iter().map(|place| place.engine).collect();
            Error::Usage(format!("a Job measures no {name}; it measures {}", known.join(", ")))
        })
    };
    let asked = args.engine.as_deref().map(in_cluster).transpose()?;
    let Some(url) = &args.target else {
        let place = asked.unwrap_or(&IN_CLUSTER[0]);
        return Ok((place, place.target.to_owned()));
    };
    if secrets::contains_password(url) {
        let secret = &args.secret;
        return refused(format!(
            "a password has no place in this text; leave it out of --target: it comes from {secret}"
        ));
    }
    refuse_hidden("target", url)?;
    let place = in_cluster(&Target::parse(url)?.scheme)?;
    if !place.has_server && !is_on_the_claim(url) {
        let target = place.target;
        return refused(format!("in the Job only /data can be written, and {RESULTS} has the results; write {target}"));
    }
    match asked {
        Some(asked) if asked.engine != place.engine => {
            refused(format!("the target {url} is one of {}, not of {}; name one of them", place.engine, asked.engine))
        }
        _ => Ok((place, url.clone())),
    }
}

/// Where the Job's runs are kept.
const RESULTS: &str = "/data/dbdyno.db";

/// Whether the file of a target lies on the claim, and is not that of the results.
fn is_on_the_claim(url: &str) -> bool {
    let file = url.split_once(':').map_or(url, |(_, rest)| rest.split('?').next().unwrap_or(rest));
    file.strip_prefix("/data/").is_some_and(|name| !name.is_empty() && !name.contains("..")) && file != RESULTS
}

/// The documents.
fn job(args: &KubernetesArgs, place: &InCluster, target: &str, size: &Size) -> String {
    let mut environment = match place.has_server {
        true => format!(include_str!("kubernetes/environment.yaml"), secret = args.secret),
        false => String::new(),
    };
    if args.fleet.is_some() {
        environment += &format!(include_str!("kubernetes/fleet_environment.yaml"), name = args.name);
    }
    let container = |name: &str, words: &[&str], more: &str| {
        let (cpus, memory) = (args.cpus, format!("{}Mi", args.memory.div_ceil(1 << 20)));
        let image = args.image.clone().unwrap_or_else(|| format!("dbdyno:{}", env!("CARGO_PKG_VERSION")));
        format!(
            include_str!("kubernetes/container.yaml"),
            name = name,
            image = quoted(&image),
            args = list(words.iter().map(|word| quoted(&escaped(word)))),
            environment = format!("{environment}{more}"),
            cpus = quoted(&cpus.to_string()),
            memory = quoted(&memory),
        )
    };
    let mut run = vec!["run", &args.suite, "--target", target, "--quiet"];
    let fleet = args.fleet.map(|agents| format!("fleet={agents}"));
    run.extend(fleet.iter().flat_map(|fleet| ["--fleet", fleet, "--fleet-wait", FLEET_WAIT]));
    run.extend(args.print_json.then_some("--json"));
    let storage = if place.has_server { STORAGE_RESULTS.to_owned() } else { storage_of_database(size) };
    let (claim, volume) = match args.print_json {
        true => (String::new(), "          emptyDir: {}".to_owned()),
        false => (
            format!(include_str!("kubernetes/claim.yaml"), claim = args.volume, storage = storage),
            format!("          persistentVolumeClaim:\n            claimName: {}", args.volume),
        ),
    };
    let create = format!(
        "# Before that an administrator makes the user: `dbdyno sql {}` prints how.\n#\n\
         #   kubectl create secret generic {} --from-file=password=FILE\n",
        place.engine, args.secret
    );
    let fleet = args.fleet.map_or_else(String::new, |agents| {
        let words = ["agent", "--target", target, "--name", AGENT_NAME, "--parts", "/data"];
        format!(
            include_str!("kubernetes/fleet.yaml"),
            name = args.name,
            nats_image = quoted(&args.nats_image),
            agents = agents,
            agent = container("agent", &words, include_str!("kubernetes/agent_environment.yaml")),
        )
    });
    let (key, after) = match (args.fleet, &args.name) {
        (Some(_), name) => (
            format!(
                "#   dbdyno fleet key > fleet.key\n\
                 #   kubectl create secret generic {name}-fleet --from-file=key=fleet.key\n"
            ),
            format!(
                "#\n# Agents wait for more runs until they are deleted:\n#\n\
                 #   kubectl delete job/{name}-agents deployment/{name}-nats service/{name}-nats\n"
            ),
        ),
        (None, _) => (String::new(), String::new()),
    };
    format!(
        include_str!("kubernetes/job.yaml"),
        version = env!("CARGO_PKG_VERSION"),
        what = shell_word(&args.suite),
        size = size.id,
        before = if place.has_server { format!("{create}{key}") } else { String::new() },
        after = after,
        fleet = fleet,
        name = args.name,
        claim = claim,
        load = container("load", &["load", "--target", target, "--size", &size.id, "--quiet"], ""),
        run = container("run", &run, ""),
        volume = volume,
    )
}

/// `$(NAME)` is a variable's value in a cluster: what the user wrote is none.
fn escaped(word: &str) -> String {
    if word == AGENT_NAME { word.to_owned() } else { word.replace("$(", "$$(") }
}

/// Room for the tests' tables and what the tests make.
fn storage_of_database(size: &Size) -> String {
    let rows_bytes = (size.large_rows + 2 * size.small_rows) * ROW_BYTES;
    let gib = (rows_bytes + 2 * size.file_bytes).div_ceil(1 << 30);
    format!("{}Gi", gib.max(LEAST_DATABASE_GIB))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
