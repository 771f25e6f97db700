//! Every `sslmode` with every kind of certificate, on both products: what works and what is refused, and what an
//! eavesdropper sees. Where it works, everything does: a load, calls, a client's statements, and stopping both.

use crate::binding::reload;
use crate::scratch::{mariadb, postgres};
use crate::tap::{First, Imposter, Tap};
use crate::{PASSWORD, connect, engine};
use dbdyno_engine::client::TestProgram;
use dbdyno_engine::{Engine, FindingLevel, PointSpec, Prepared, Request};
use dbdyno_model::{Drive, ErrorClass};
use dbdyno_testkit::conformance::client::send;
use dbdyno_testkit::conformance::{self, NoProgress, begin_point, catalogue, run_point_uncounted};
use dbdyno_testkit::servers::Scratch;
use rustls::version::{TLS12, TLS13};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// The certificate that a server shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certificate {
    /// Signed by the authority, for `localhost`.
    Good,
    /// Signed by the authority, for another host.
    OtherHost,
    /// Signed by the authority, expired years ago.
    Expired,
    /// Self-signed.
    SelfSigned,
    /// The good one, but the server signs with another key.
    WithoutKey,
}

use Certificate::{Expired, Good, OtherHost, SelfSigned, WithoutKey};

impl Certificate {
    const ALL: [Self; 5] = [Good, OtherHost, Expired, SelfSigned, WithoutKey];

    fn file(self) -> &'static str {
        match self {
            Good | WithoutKey => "good.crt",
            OtherHost => "other_host.crt",
            Expired => "expired.crt",
            SelfSigned => "self_signed.crt",
        }
    }

    /// The message where it is refused.
    fn why_refused(self) -> &'static str {
        match self {
            Good => "nothing is wrong with it",
            OtherHost => "the certificate is not for localhost",
            Expired => "expired",
            SelfSigned => "nobody trusted has signed",
            WithoutKey => "BadSignature",
        }
    }

    /// Makes all of them beside a server's certificate, with its key, and another key.
    fn make(folder: &Path) {
        let made = Command::new("sh").args(["-c", MAKE]).current_dir(folder).output().unwrap();
        assert!(made.status.success(), "{made:?}");
    }
}

/// Only `openssl ca` makes certificates with past dates.
const MAKE: &str = "set -e
    cp server.crt good.crt
    own='-addext basicConstraints=CA:FALSE -days 2 -key server.key -subj /CN=scratch'
    authority='-CA authority.crt -CAkey authority.key'
    openssl req -x509 $own $authority -addext subjectAltName=DNS:elsewhere.example -out other_host.crt
    openssl req -x509 $own -addext subjectAltName=DNS:localhost -out self_signed.crt
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out another.key
    printf '%s\n' '[ca]' 'default_ca = own' '[own]' 'database = index.txt' 'new_certs_dir = .' 'rand_serial = yes' \\
        'default_md = sha256' 'policy = any' 'x509_extensions = server' '[any]' 'commonName = supplied' \\
        '[server]' 'subjectAltName = DNS:localhost' 'basicConstraints = CA:FALSE' > ca.cnf
    touch index.txt
    openssl req -new -key server.key -subj /CN=scratch -out server.csr
    openssl ca -batch -notext -config ca.cnf -cert authority.crt -keyfile authority.key \\
        -startdate 20200101000000Z -enddate 20210101000000Z -in server.csr -out expired.crt";

/// A product in this matrix.
trait Product: Scratch {
    /// Which side speaks first.
    const FIRST: First;
    /// Whether the password's proof is bound to the certificate, so that `require` needs the key's owner.
    const BINDS: bool;

    /// A server with a certificate for `localhost`, and a database in which scott may work with his password.
    fn with_tls() -> Self;

    /// Makes the server read its certificate again.
    fn reload(&self);
}

impl Product for postgres::Server {
    const FIRST: First = First::Client;
    const BINDS: bool = true;

    fn with_tls() -> Self {
        let options =
            postgres::ServerOptions::default().tls("DNS:localhost").set("fsync", "off").set("autovacuum", "off");
        let options =
            options.set("password_encryption", "scram-sha-256").access("host all scott 127.0.0.1/32 scram-sha-256");
        let server = options.access("host all bare 127.0.0.1/32 password").start();
        let roles =
            format!("CREATE ROLE scott LOGIN PASSWORD '{PASSWORD}'; CREATE ROLE bare LOGIN PASSWORD '{PASSWORD}'");
        server.psql("postgres", &roles);
        server.psql("postgres", "CREATE DATABASE bench OWNER scott");
        server
    }

    fn reload(&self) {
        reload(self);
    }
}

impl Product for mariadb::Server {
    const FIRST: First = First::Server;
    const BINDS: bool = false;

    fn with_tls() -> Self {
        let server =
            mariadb::ServerOptions::default().tls("DNS:localhost").set("innodb_flush_method", "nosync").start();
        let account = "scott@'127.0.0.1'";
        server.client(
            "",
            &format!(
                "CREATE DATABASE bench; CREATE USER {account} IDENTIFIED BY '{PASSWORD}'; GRANT ALL ON bench.* TO {account}"
            ),
        );
        server
    }

    fn reload(&self) {
        self.client("", "FLUSH SSL");
    }
}

/// The result of connecting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Plain,
    Encrypted,
    Refused,
}

use Outcome::{Encrypted, Plain, Refused};

const MODES: [&str; 5] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

fn outcome<S: Product>(mode: &str, certificate: Certificate) -> Outcome {
    match (mode, certificate) {
        ("disable", _) => Plain,
        // A fallback without TLS is preferred to no connection.
        ("prefer", WithoutKey) if S::BINDS => Plain,
        ("require", WithoutKey) if S::BINDS => Refused,
        // Without binding, a server with another's certificate is no worse than one with its own.
        ("prefer" | "require", _) => Encrypted,
        ("verify-ca", Good | OtherHost) | ("verify-full", Good) => Encrypted,
        _ => Refused,
    }
}

fn matrix<S: Product>() {
    let server = S::with_tls();
    let authority = server.authority();
    let folder = authority.parent().unwrap();
    Certificate::make(folder);
    let target = |user: &str, port: u16, mode: &str| {
        let roots =
            if mode.starts_with("verify") { format!("&sslrootcert={}", authority.display()) } else { String::new() };
        format!("{}://{user}:{PASSWORD}@localhost:{}/bench?sslmode={mode}{roots}", S::ENGINE, port)
    };
    engine(&target("scott", server.port, "prefer")).load(&catalogue::size_t(), 42, 2, false, &NoProgress).unwrap();
    warns_where_nothing_is_proved(&server);
    for certificate in Certificate::ALL {
        // Into the existing file, which keeps its owner.
        std::fs::write(folder.join("server.crt"), std::fs::read(folder.join(certificate.file())).unwrap()).unwrap();
        server.reload();
        let imposter =
            || Imposter::new(&folder.join("good.crt"), &folder.join("another.key"), &authority, &[&TLS13, &TLS12]);
        for mode in MODES {
            // One for each, because requests to cancel may come late.
            let tap = Tap::start(server.port, S::FIRST);
            tap.pretend((certificate == WithoutKey).then(imposter));
            let (target, expected) = (target("scott", tap.port, mode), outcome::<S>(mode, certificate));
            let what = format!("{mode} with {certificate:?}");
            if expected == Refused {
                refuses(&target, certificate, &what);
            } else {
                works(&server, &target, &what);
            }
            let heard = tap.heard();
            assert!(!heard.contains(PASSWORD), "{what}: the password was on the way");
            assert_eq!(heard.contains("scott"), expected == Plain, "{what}: {expected:?}");
        }
        // A certificate that is trusted itself can have expired, too.
        if certificate == Expired {
            let itself = target("scott", server.port, "verify-full");
            let itself = itself.replace("authority.crt", certificate.file());
            assert!(itself.contains(certificate.file()), "{itself}");
            refuses(&itself, certificate, "verify-full with Expired as its own authority");
        }
        // A clear-text password goes through TLS, or where it was requested by name.
        if S::BINDS && certificate == Good {
            for mode in MODES {
                let tap = Tap::start(server.port, S::FIRST);
                for connected in connect(&target("bare", tap.port, mode)) {
                    connected.unwrap();
                }
                assert_eq!(tap.heard().contains(PASSWORD), mode == "disable", "{mode}");
            }
        }
    }
}

#[test]
fn certificates_and_modes_decide_what_works_on_postgres() {
    matrix::<postgres::Server>();
}

#[test]
fn certificates_and_modes_decide_what_works_on_mariadb() {
    matrix::<mariadb::Server>();
}

/// `check` warns about connections to another machine, or to what may be one: without encryption, or without proof of
/// the server's identity where no password is bound to its certificate.
fn warns_where_nothing_is_proved<S: Product>(server: &S) {
    warns_where_nothing_is_encrypted(server);
    let roots = format!("verify-ca&sslrootcert={}", server.authority().display());
    for (host, mode, warned) in [
        ("127.1", "disable", false),
        ("127.1", "prefer", !S::BINDS),
        ("127.1", "require", !S::BINDS),
        ("127.1", &roots, false),
        ("localhost", "require", false),
    ] {
        let target = format!("{}://scott:{PASSWORD}@{host}:{}/bench?sslmode={mode}", S::ENGINE, server.port);
        let found = engine(&target).check(&catalogue::size_t());
        let found: Vec<_> = found.iter().filter(|finding| finding.subject == "identity").collect();
        assert_eq!(found.len(), usize::from(warned), "{host}, {mode}: {found:?}");
        assert!(found.iter().all(|f| f.level == FindingLevel::Warning && f.message.contains("sslmode=verify-full")));
    }
}

fn warns_where_nothing_is_encrypted<S: Product>(server: &S) {
    for (host, mode, warned) in
        [("127.1", "disable", true), ("localhost", "disable", false), ("localhost", "prefer", false)]
    {
        let target = format!("{}://scott:{PASSWORD}@{host}:{}/bench?sslmode={mode}", S::ENGINE, server.port);
        let found = engine(&target).check(&catalogue::size_t());
        let found: Vec<_> = found.iter().filter(|finding| finding.subject == "encryption").collect();
        assert_eq!(found.len(), usize::from(warned), "{host}, {mode}: {found:?}");
        assert!(found.iter().all(|f| f.level == FindingLevel::Warning && f.message.contains("sslmode=verify-full")));
    }
}

fn refuses(target: &str, certificate: Certificate, what: &str) {
    let load = engine(target).load(&catalogue::size_t(), 42, 2, false, &NoProgress).map(drop);
    let all = connect(target).into_iter().chain([load]);
    for refused in all.map(Result::unwrap_err) {
        assert_eq!(refused.class, ErrorClass::ConnectionLost, "{what}: {refused}");
        assert!(refused.message.contains(certificate.why_refused()), "{what}: {refused}");
    }
}

fn works<S: Product>(server: &S, target: &str, what: &str) {
    let engine = engine(target);
    // A table without a note must be loaded.
    let forget = "DELETE FROM META WHERE name IN ('complete', 'verified', 'filled small_heap')";
    server.sql("bench", &forget.replace("META", &S::table("meta")));
    let report =
        engine.load(&catalogue::size_t(), 42, 2, false, &NoProgress).unwrap_or_else(|error| panic!("{what}: {error}"));
    let written: u64 = report.tables.iter().map(|table| table.rows_written).sum();
    assert_eq!(written, catalogue::size_t().small_rows, "{what}");

    let test = catalogue::tests().into_iter().find(|test| test.code.as_str() == "T611").unwrap();
    let calls = conformance::spec(&test, &catalogue::size_t(), 42, 1);
    let statements = PointSpec { drive: Drive::Client, ..calls.clone() };
    assert_eq!(run_point_uncounted(&*engine, &calls, &[5]).sum.rows, 5, "{what}");
    assert!(conformance::client::run_point(&*engine, &statements).sum.rows > 0, "{what}");
    for spec in [calls, statements] {
        stops(&*engine, &spec, what);
    }
}

/// A session's statement ends when the session is told to stop.
fn stops(engine: &dyn Engine, spec: &PointSpec, what: &str) {
    let (mut sessions, Prepared { form, .. }) = begin_point(engine, spec);
    let session = &mut sessions[0];
    let canceller = session.canceller();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(30));
        canceller.cancel();
    });
    let error = match spec.drive {
        Drive::Server => session.execute(&Request::Chunk { first_pass: 0, passes: 100_000_000 }).unwrap_err().error,
        Drive::Client => {
            let mut program = TestProgram::new(spec, 0, form.unwrap());
            send(session.as_mut(), &mut program, u64::MAX).unwrap_err().error
        }
    };
    stopper.join().unwrap();
    assert_eq!(error.class, ErrorClass::Cancelled, "{what}, {:?}: {error}", spec.drive);
    drop(sessions);
    engine.end_point(spec).unwrap();
}
