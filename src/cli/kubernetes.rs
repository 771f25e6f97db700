//! `k8s` as typed: a Job for Kubernetes.

use super::values::bytes;
use clap::Args;

/// `dbdyno k8s`.
#[derive(Debug, Args)]
#[command(
    after_help = "\
Examples:
  dbdyno k8s > job.yaml                  PostgreSQL, at the service `postgres`
  dbdyno k8s mariadb --suite baseline --size N
  dbdyno k8s --target postgres://bench@db.shop.svc/bench --suite T611,T711
  dbdyno k8s sqlite                      no server: the claim's storage itself",
    after_long_help = "\
The Job first loads dbdyno's tables where they are not there yet, then measures.
It needs an image of dbdyno whose entrypoint is `dbdyno`, and a Secret with the
key `password`. The text itself says how to apply it and what it touches.

Examples:
  dbdyno k8s > job.yaml                  PostgreSQL, at the service `postgres`
  dbdyno k8s mariadb --suite baseline --size N
  dbdyno k8s --target postgres://bench@db.shop.svc/bench --suite T611,T711
  dbdyno k8s --image registry.example/dbdyno:0.1.0 --print-json
  dbdyno k8s --fleet 4
  dbdyno k8s sqlite                      no server: the claim's storage itself"
)]
pub(crate) struct KubernetesArgs {
    /// The engine: postgres, mariadb, oracle or sqlite
    ///
    /// Without one that of the target, else postgres.
    pub(crate) engine: Option<String>,
    /// The database [default: a service with the engine's name]
    ///
    /// As seen from inside the cluster, and without a password. The service is in the Job's own namespace.
    #[arg(long, value_name = "URL")]
    pub(crate) target: Option<String>,
    /// A suite, or tests: T611, 'T6*', T611,T711
    #[arg(long, value_name = "SUITE", default_value = "quick")]
    pub(crate) suite: String,
    /// Size class of the data that is loaded
    #[arg(long, value_name = "SIZE", default_value = "D")]
    pub(crate) size: String,
    /// Name of the Job
    #[arg(long, value_name = "NAME", default_value = "dbdyno", value_parser = object_name, hide_short_help = true)]
    pub(crate) name: String,
    /// The image [default: dbdyno:VERSION]
    ///
    /// Its entrypoint is `dbdyno`, and the version is this one.
    #[arg(long, value_name = "IMAGE", value_parser = image)]
    pub(crate) image: Option<String>,
    /// Secret whose key `password` has the password of the target's user
    #[arg(
        long, value_name = "SECRET", default_value = "dbdyno-password", value_parser = object_name,
        hide_short_help = true
    )]
    pub(crate) secret: String,
    /// Claim that keeps the results
    ///
    /// They are left there as dbdyno.db.
    #[arg(long, value_name = "CLAIM", default_value = "dbdyno-results", value_parser = object_name)]
    pub(crate) volume: String,
    /// Have so many agents drive the load, on hosts of their own
    ///
    /// A NATS server comes with them; the text says which Secret has the fleet's key.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) fleet: Option<u16>,
    /// The image of the NATS server of a fleet
    #[arg(long, value_name = "IMAGE", default_value = "nats:2", value_parser = image, hide_short_help = true)]
    pub(crate) nats_image: String,
    /// Leave nothing, and print the run as JSON into the Job's log
    #[arg(long, conflicts_with = "volume")]
    pub(crate) print_json: bool,
    /// Processors that the Job gets, no more and no less
    #[arg(
        long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024),
        hide_short_help = true
    )]
    pub(crate) cpus: u16,
    /// Memory that the Job gets, no more and no less
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = bytes, hide_short_help = true)]
    pub(crate) memory: u64,
}

/// What an engine's databases are called in a cluster.
pub(crate) struct InCluster {
    /// The engine.
    pub(crate) engine: &'static str,
    /// The target where none was named.
    pub(crate) target: &'static str,
    /// Whether it has a user with a password; without a server the database is a file on the volume.
    pub(crate) has_server: bool,
}

/// The engines that a Job can measure.
pub(crate) static IN_CLUSTER: [InCluster; 4] = [
    InCluster { engine: "postgres", target: "postgres://dbdyno@postgres/dbdyno", has_server: true },
    InCluster { engine: "mariadb", target: "mariadb://dbdyno@mariadb/dbdyno", has_server: true },
    InCluster { engine: "oracle", target: "oracle://dbdyno@oracle/FREEPDB1", has_server: true },
    InCluster { engine: "sqlite", target: "sqlite:/data/measured.sqlite", has_server: false },
];

/// The name of an object in a cluster: a label of DNS.
fn object_name(text: &str) -> Result<String, String> {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = (1..=63).contains(&text.len()) && text.chars().all(is_inner);
    match is_name && !text.starts_with('-') && !text.ends_with('-') {
        true => Ok(text.to_owned()),
        false => Err("a name has 1 to 63 of a-z, 0-9 and -, and begins and ends with none of the last".to_owned()),
    }
}

/// The name of an image: `dbdyno:0.1.0`, `registry.example:5000/tools/dbdyno@sha256:…`.
fn image(text: &str) -> Result<String, String> {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    match (1..=255).contains(&text.len()) && text.starts_with(char::is_alphanumeric) && text.chars().all(is_inner) {
        true => Ok(text.to_owned()),
        false => Err("an image has letters, digits and . _ - / : @ in its name, as in dbdyno:0.1.0".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_objects_and_images() {
        for name in ["dbdyno", "a", "a-1", &"x".repeat(63)] {
            assert_eq!(object_name(name).as_deref(), Ok(name));
        }
        for name in ["", "A", "-a", "a-", "a.b", "a b", "a\nkind: Pod", "ä", &"x".repeat(64)] {
            assert!(object_name(name).is_err(), "{name}");
        }
        for name in ["dbdyno", "dbdyno:0.1.0", "registry.example:5000/a_b/dbdyno@sha256:00"] {
            assert_eq!(image(name).as_deref(), Ok(name));
        }
        for name in ["", "-x", "a b", "a\"b", "a\nb", "{x}"] {
            assert!(image(name).is_err(), "{name}");
        }
    }
}
