//! A Job for Kubernetes: the text is as the published schema says, holds no password, and runs the commands that are
//! meant. Nothing here has a cluster.

use crate::support::{Ending, Room};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Container, PersistentVolumeClaim, PodSpec, Service};
use serde_json::Value;

/// A document, read as its type and written again: a key that the schema does not know, or misses, makes a difference.
#[track_caller]
fn typed<T: serde::de::DeserializeOwned + serde::Serialize>(document: &Value) -> T {
    let typed: T = serde_json::from_value(document.clone()).unwrap_or_else(|e| panic!("{e}: {document:#}"));
    assert_eq!(serde_json::to_value(&typed).unwrap(), *document);
    typed
}

/// The claim, where there is one, and the pod.
#[track_caller]
fn documents(printed: &Ending) -> (Option<PersistentVolumeClaim>, PodSpec) {
    let all: Vec<Value> =
        serde_saphyr::from_multiple(&printed.stdout).unwrap_or_else(|e| panic!("{e}\n{}", printed.stdout));
    let (job, claims) = all.split_last().unwrap();
    let job = typed::<Job>(job).spec.unwrap();
    assert_eq!(job.backoff_limit, Some(0));
    assert!(claims.len() <= 1, "{}", printed.stdout);
    (claims.first().map(typed), job.template.spec.unwrap())
}

fn args(container: &Container) -> Vec<&str> {
    container.args.iter().flatten().map(String::as_str).collect()
}

#[test]
fn the_job_loads_and_measures_with_the_least_rights() {
    let room = Room::new();
    let (claim, pod) = documents(&room.run("k8s").expect(0));
    assert_eq!(claim.unwrap().metadata.name.as_deref(), Some("dbdyno-results"));
    assert_eq!(pod.restart_policy.as_deref(), Some("Never"));
    let user = pod.security_context.as_ref().unwrap();
    assert_eq!((user.run_as_non_root, user.run_as_user), (Some(true), Some(65_532)));
    assert_eq!(pod.automount_service_account_token, Some(false));
    let load = &pod.init_containers.as_ref().unwrap()[0];
    let target = "postgres://dbdyno@postgres/dbdyno";
    assert_eq!(args(load), ["load", "--target", target, "--size", "D", "--quiet"]);
    assert_eq!(args(&pod.containers[0]), ["run", "quick", "--target", target, "--quiet"]);
    for container in [load, &pod.containers[0]] {
        assert_eq!(container.image.as_deref(), Some(concat!("dbdyno:", env!("CARGO_PKG_VERSION"))));
        let resources = container.resources.as_ref().unwrap();
        assert!(
            resources.requests.is_some() && resources.requests == resources.limits,
            "nothing takes processors away"
        );
        let password = &container.env.as_ref().unwrap()[0];
        let from = password.value_from.as_ref().and_then(|from| from.secret_key_ref.as_ref()).unwrap();
        assert_eq!(
            (password.name.as_str(), from.name.as_str(), from.key.as_str()),
            ("DBDYNO_PASSWORD", "dbdyno-password", "password")
        );
        let rights = container.security_context.as_ref().unwrap();
        assert_eq!((rights.allow_privilege_escalation, rights.read_only_root_filesystem), (Some(false), Some(true)));
        assert_eq!(container.working_dir.as_deref(), Some("/data"));
    }
    // The same commands are understood by this very program.
    assert!(room.run("load --help").expect(0).stdout.contains("--target"));
}

#[test]
fn what_was_asked_for_is_in_the_job() {
    let room = Room::new();
    let line = "k8s --target mariadb://bench@db.shop.svc/bench?sslmode=require --suite T6*,T711 --size t --name shop-1 --cpus 4 \
                --memory 2GiB --secret shop --image registry.example:5000/dbdyno@sha256:00 --print-json";
    let printed = room.run(line).expect(0);
    let (claim, pod) = documents(&printed);
    assert!(claim.is_none() && !printed.stdout.contains("dbdyno-results"), "{}", printed.stdout);
    assert!(pod.volumes.as_ref().unwrap()[0].empty_dir.is_some());
    let target = "mariadb://bench@db.shop.svc/bench?sslmode=require";
    assert_eq!(args(&pod.init_containers.as_ref().unwrap()[0]), ["load", "--target", target, "--size", "T", "--quiet"]);
    let run = &pod.containers[0];
    assert_eq!(args(run), ["run", "T6*,T711", "--target", target, "--quiet", "--json"]);
    assert_eq!(run.image.as_deref(), Some("registry.example:5000/dbdyno@sha256:00"));
    let limits = run.resources.as_ref().unwrap().limits.as_ref().unwrap();
    assert_eq!((limits["cpu"].0.as_str(), limits["memory"].0.as_str()), ("4", "2048Mi"));
    // A file on the claim has no user; and what looks like a variable is none.
    let (claim, pod) = documents(&room.run("k8s sqlite --target sqlite:/data/$(HOME).sqlite --volume fast").expect(0));
    assert_eq!(claim.unwrap().metadata.name.as_deref(), Some("fast"));
    assert!(pod.containers[0].env.is_none());
    assert_eq!(args(&pod.containers[0])[3], "sqlite:/data/$$(HOME).sqlite");
    for engine in ["mariadb", "oracle", "sqlite"] {
        let (_, pod) = documents(&room.run(&format!("k8s {engine}")).expect(0));
        assert!(args(&pod.containers[0])[3].starts_with(engine));
    }
}

#[test]
fn a_fleet_comes_with_its_server_and_its_agents() {
    let room = Room::new();
    let printed = room.run("k8s mariadb --fleet 4 --name shop --print-json").expect(0);
    let all: Vec<Value> = serde_saphyr::from_multiple(&printed.stdout).unwrap();
    let [service, nats, agents, run] = all.as_slice() else { panic!("{}", printed.stdout) };
    let service = typed::<Service>(service);
    let nats = typed::<Deployment>(nats);
    let agents = typed::<Job>(agents).spec.unwrap();
    let run = typed::<Job>(run).spec.unwrap().template.spec.unwrap();
    // The service finds the server, and all find the service.
    let labels = nats.spec.unwrap().template.metadata.unwrap().labels.unwrap();
    let selector = service.spec.unwrap().selector.unwrap();
    assert!(selector.iter().all(|(name, value)| labels.get(name) == Some(value)), "{selector:?} {labels:?}");
    assert_eq!(
        (agents.completions, agents.parallelism, agents.completion_mode.as_deref()),
        (Some(4), Some(4), Some("Indexed"))
    );
    let agent = agents.template.spec.unwrap();
    let words = args(&agent.containers[0]).join(" ");
    assert_eq!(words, "agent --target mariadb://dbdyno@mariadb/dbdyno --name agent-$(DBDYNO_AGENT) --parts /data");
    let words = args(&run.containers[0]).join(" ");
    assert!(words.contains("--fleet fleet=4 --fleet-wait 10m"), "{words}");
    for container in [&agent.containers[0], &run.containers[0]] {
        let named = |name: &str| container.env.iter().flatten().find(|env| env.name == name).unwrap();
        assert_eq!(named("DBDYNO_NATS").value.as_deref(), Some("nats://shop-nats:4222"));
        let key = named("DBDYNO_FLEET_KEY").value_from.as_ref().and_then(|from| from.secret_key_ref.as_ref()).unwrap();
        assert_eq!((key.name.as_str(), key.key.as_str()), ("shop-fleet", "key"));
    }
    assert!(printed.stdout.contains("kubectl create secret generic shop-fleet --from-file=key=fleet.key"));
    // This very program understands what agents are told, but for their number.
    room.run("agent --target null: --name agent-1 --parts /data --help").expect(0);
    let alone = room.run("k8s sqlite --fleet 2").expect(2);
    assert!(alone.stderr.contains("no other host can share"), "{}", alone.stderr);
}

#[test]
fn what_is_no_job_is_refused() {
    let room = Room::new();
    for (line, said) in [
        ("k8s --target postgres://dbdyno:secret@db/dbdyno", "a password has no place in this text"),
        ("k8s --target postgres://dbdyno@db/dbdyno?password=secret", "a password has no place in this text"),
        ("k8s mariadb --target postgres://dbdyno@db/dbdyno", "is one of postgres, not of mariadb"),
        ("k8s --target private:postgres", "private"),
        ("k8s null", "a Job measures no null"),
        ("k8s --target sqlite:/etc/x", "only /data can be written"),
        ("k8s --target sqlite:/data/../x", "only /data can be written"),
        ("k8s --target sqlite:/data/dbdyno.db?journal=wal", "/data/dbdyno.db has the results"),
        ("k8s postgre", "did you mean 'postgres'?"),
        ("k8s --suite quik", "nearest: quick"),
        ("k8s --suite T999", "T999"),
        ("k8s --size Q", "size"),
        ("k8s --name A_b", "a name has 1 to 63"),
        ("k8s --image {x}", "an image has"),
        ("k8s --print-json --volume x", "cannot be used with"),
        ("k8s --memory 1", "has no unit"),
        ("k8s --cpus 0", "0 is not in 1..=1024"),
    ] {
        let refused = room.run(line).expect(2);
        assert!(refused.stdout.is_empty() && refused.stderr.contains(said), "{line}: {}", refused.stderr);
        assert!(!refused.stderr.contains("secret@") && !refused.stderr.contains("=secret"), "{}", refused.stderr);
    }
    // A text that would end a comment, or a string.
    for hidden in ["a\nkind: Pod", "a\u{2028}b", "a\u{85}b"] {
        let mut command = room.command("k8s --target");
        command.arg(format!("postgres://dbdyno@{hidden}/dbdyno"));
        let refused = crate::support::Running::start(command).end().expect(2);
        assert!(refused.stderr.contains("a character that cannot be seen"), "{}", refused.stderr);
    }
    let mut command = room.command("k8s --target");
    command.arg("postgres://dbdyno@db/a\"]#{}'");
    let (_, pod) = documents(&crate::support::Running::start(command).end().expect(0));
    assert_eq!(args(&pod.containers[0])[3], "postgres://dbdyno@db/a\"]#{}'");
}
