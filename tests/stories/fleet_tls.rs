//! A fleet over a NATS server with TLS and accounts: each account may do what docs/fleet.md says it needs, and targets
//! cross it only where somebody asks for that.

use crate::local_fleet::is_shared;
use crate::on_servers::{PASSWORD, Product, SCOTT, stories};
use crate::support::{Room, Running, wait_until};
use rustix::process::Signal;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

stories! {
    ;
    of_one_product: accounts_are_held_to_their_subjects_and_targets_cross_tls_alone,
}

const KEY: &str = "0123456789abcdef0123456789abcdef";

/// A NATS server with a certificate, and an account for the coordinator and for each of two agents.
struct SecuredNats {
    child: Child,
    port: u16,
}

impl SecuredNats {
    fn up(room: &Room) -> Self {
        let made = Command::new("openssl")
            .current_dir(room.folder())
            .args(["req", "-x509", "-days", "2", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
            .args(["-subj", "/CN=nats", "-keyout", "nats.key", "-out", "nats.crt"])
            .args(["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=CA:FALSE"])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let agent = |name: &str| {
            format!(
                r#"{{ user: {name}, password: of-{name}, permissions: {{
                    publish: ["dbdyno.fleet.from.{name}"], subscribe: ["dbdyno.fleet.all", "dbdyno.fleet.to.{name}"] }} }}"#
            )
        };
        let config = format!(
            r#"listen: 127.0.0.1:{port}
            tls {{ cert_file: nats.crt, key_file: nats.key }}
            authorization {{ users: [
                {{ user: hub, password: of-hub, permissions: {{
                    publish: ["dbdyno.fleet.all", "dbdyno.fleet.to.*"], subscribe: ["dbdyno.fleet.from.*"] }} }},
                {}, {}
            ] }}
            "#,
            agent("left"),
            agent("right")
        );
        std::fs::write(room.path("nats.conf"), config).unwrap();
        let mut command = Command::new("nats-server");
        command.env("PATH", format!("{}:/usr/sbin", std::env::var("PATH").unwrap()));
        command.current_dir(room.folder()).args(["-c", "nats.conf"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        wait_until("NATS", || {
            assert!(child.try_wait().unwrap().is_none(), "it has ended");
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Self { child, port }
    }

    /// A command of whoever has this account.
    fn command(&self, room: &Room, account: &str, line: &str) -> Command {
        let mut command = room.command(line);
        command.env("DBDYNO_NATS", format!("tls://{account}:of-{account}@127.0.0.1:{}", self.port));
        command.env("DBDYNO_NATS_CA", room.path("nats.crt")).env("DBDYNO_FLEET_KEY", KEY);
        command
    }

    /// An agent without a target of its own.
    fn agent(&self, room: &Room, account: &str, name: &str) -> Running {
        let agent = Running::start(self.command(room, account, &format!("agent --name {name}")));
        agent.until("waits for runs");
        agent
    }
}

impl Drop for SecuredNats {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn accounts_are_held_to_their_subjects_and_targets_cross_tls_alone<P: Product>() {
    let database = P::fixtures().loaded();
    database.server.hand_over(&database.name, SCOTT);
    let target = database.server.tcp(SCOTT, &database.name);
    let room = Room::new();
    let nats = SecuredNats::up(&room);
    let agents = [nats.agent(&room, "left", "left"), nats.agent(&room, "right", "right")];
    // An account does not lend its rights to another name.
    let other = nats.agent(&room, "left", "other");
    other.until("NATS refuses what an agent of this name does");
    let run = |account: &str, more: &str| {
        let line = format!("run T611 --target {target} --jobs 4 --duration 4s --drive client -q {more}");
        let mut command = nats.command(&room, account, &line);
        command.env("DBDYNO_PASSWORD", PASSWORD);
        Running::start(command).end()
    };
    let alone = run("hub", "--fleet fleet").expect(2);
    assert!(
        alone.stderr.contains("it has no target") && alone.stderr.contains("--send-credentials"),
        "{}",
        alone.stderr
    );
    run("hub", "--fleet fleet --send-credentials").expect(0);
    let point = &room.show("last")["points"][0];
    is_shared(point, 2);
    // Whoever goes on with a run is told how, and no password: what was typed counts, whatever the environment says.
    let at = format!("127.0.0.1:{}", nats.port);
    let line = format!(
        "run T611 --target {target} --jobs 4 --duration 60s --drive client --fleet fleet --send-credentials \
         --nats tls://hub:of-hub@{at}"
    );
    let mut command = nats.command(&room, "left", &line);
    command.env("DBDYNO_PASSWORD", PASSWORD);
    let stopped = Running::start(command);
    stopped.until("measuring");
    stopped.signal(Signal::INT);
    let stopped = stopped.end().expect(3).stderr;
    assert!(stopped.contains(&format!(" --fleet fleet --send-credentials --nats tls://{at}` goes on")), "{stopped}");
    assert!(!stopped.contains("of-hub") && !stopped.contains(PASSWORD), "{stopped}");
    let forbidden = run("left", "--fleet fleet").expect(2);
    assert!(forbidden.stderr.contains("NATS refuses what a coordinator does"), "{}", forbidden.stderr);

    let bare = run("hub", "--fleet fleet --send-credentials --nats nats://hub:of-hub@127.0.0.1:1").expect(2);
    assert!(bare.stderr.contains("needs TLS to NATS") && !bare.stderr.contains("of-hub"), "{}", bare.stderr);
    let mut unknown = nats.command(&room, "left", "agent --name left");
    unknown.env_remove("DBDYNO_NATS_CA");
    let unknown = Running::start(unknown).end().expect(2);
    assert!(unknown.stderr.contains("certificate"), "{}", unknown.stderr);
    for agent in agents.into_iter().chain([other]) {
        agent.signal(Signal::TERM);
        let said = agent.end();
        assert!(!said.stderr.contains(PASSWORD), "{}", said.stderr);
    }
}
