use super::fakes::{Fake, Listener, accept, packet, refuse};
use super::*;
use dbdyno_engine::Target;
use proptest::prelude::*;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// One test at a time counts threads.
static COUNTING: Mutex<()> = Mutex::new(());

/// The deadline is 1 s.
fn options(port: u16, more: &str) -> Options {
    options_within(1, port, more)
}

fn options_within(deadline_s: u32, port: u16, more: &str) -> Options {
    let url = format!("oracle://scott:tiger@127.0.0.1:{port}/sales?connect_timeout={deadline_s}{more}");
    Options::parse(&Target::parse(&url).unwrap()).unwrap()
}

/// Threads that open connections, or see to it that others end. The system lists a thread for a moment after its end.
fn threads() -> usize {
    let until = Instant::now() + Duration::from_secs(2);
    while listed() > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    listed()
}

fn listed() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let name = |spec: std::fs::DirEntry| std::fs::read_to_string(spec.path().join("comm")).unwrap_or_default();
    tasks.map(name).filter(|name| ["oracle-connect", "oracle-end"].contains(&name.trim())).count()
}

/// Tries to connect, and says what came of it, after how long. No thread is left then.
fn refused(options: &Options) -> (EngineError, Duration) {
    let _alone = recover(&COUNTING);
    assert_eq!(threads(), 0, "before");
    let begun = Instant::now();
    let error = OracleConnection::open(options, 0, "dbdyno test").err().expect("nobody is there");
    let took = begun.elapsed();
    assert_eq!(threads(), 0, "after {error}");
    assert!(!error.message.contains("tiger") && error.message.contains("as scott"), "{error}");
    assert_eq!(options.limits.open(), 0);
    (error, took)
}

/// Not for ever: the deadline is 1 s, the rest is what a busy machine may take.
fn soon() -> Duration {
    Duration::from_secs(20)
}

#[test]
fn what_is_no_server_is_an_error_of_the_right_class_in_time() {
    let http = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".to_vec();
    let half = accept(0)[..20].to_vec();
    for (fake, class, said) in [
        (Fake::Silent, ErrorClass::ConnectionLost, "no whole answer came within 1 s"),
        (Fake::ClosesAtOnce, ErrorClass::ConnectionLost, "is it an Oracle listener?"),
        (Fake::ClosesWhenAsked, ErrorClass::ConnectionLost, "is it an Oracle listener?"),
        (Fake::AnswersAndCloses(http.clone()), ErrorClass::ConnectionLost, "is it an Oracle listener?"),
        (Fake::Answers(http), ErrorClass::ConnectionLost, "no whole answer came within 1 s"),
        // Its length says that it is longer than that: more is waited for.
        (Fake::Answers(half.clone()), ErrorClass::ConnectionLost, "no whole answer came within 1 s"),
        (Fake::AnswersAndCloses(half), ErrorClass::ConnectionLost, "is it an Oracle listener?"),
        // A packet that is too short for its own head makes the driver stop short; so does one of an unknown kind.
        (Fake::Answers(vec![0; 64]), ErrorClass::ConnectionLost, "is it an Oracle listener?"),
        (Fake::Answers(packet(99, b"whatever")), ErrorClass::ConnectionLost, "is it an Oracle listener?"),
        // The login begins, and nothing more comes.
        (Fake::Answers(accept(0)), ErrorClass::ConnectionLost, "no whole answer came within 1 s"),
        (Fake::AnswersAndCloses(accept(0)), ErrorClass::ConnectionLost, "is it an Oracle listener?"),
        (Fake::Answers(accept(0x10)), ErrorClass::ConnectionLost, "SQLNET.ENCRYPTION_SERVER"),
        (Fake::Answers(refuse(12514)), ErrorClass::UnknownObject, "the listener knows no service sales"),
        (Fake::Answers(refuse(12505)), ErrorClass::UnknownObject, "knows no such SID"),
        (Fake::Answers(refuse(12519)), ErrorClass::Other, "use fewer jobs, or raise PROCESSES"),
        (Fake::Answers(refuse(12528)), ErrorClass::ConnectionLost, "wait and try again"),
        (Fake::Answers(refuse(12526)), ErrorClass::Permission, "restricted mode"),
        (Fake::Answers(packet(4, &[1, 0, 0, 0])), ErrorClass::ConnectionLost, "did not say why"),
    ] {
        let listener = Listener::start(fake.clone());
        // Who answers at all has the time to, however busy the machine is.
        let deadline_s = if said.contains("within 1 s") { 1 } else { 60 };
        let (error, took) = refused(&options_within(deadline_s, listener.port, ""));
        assert_eq!(error.class, class, "{fake:?}: {error}");
        assert!(error.message.contains(said), "{fake:?}: {error}");
        assert!(took < soon(), "{fake:?}: {took:?}");
        if matches!(fake, Fake::Silent | Fake::Answers(_)) {
            assert!(listener.was_left(), "{fake:?}: the connection is still open");
        }
    }
}

#[test]
fn a_port_that_nobody_listens_at_is_told_at_once() {
    // Nobody's, and no other test's either.
    let port = 1;
    let (error, took) = refused(&options_within(60, port, ""));
    assert_eq!(error.class, ErrorClass::ConnectionLost);
    assert!(error.message.contains("refused") && error.message.contains(&format!("is {port} its port?")), "{error}");
    // Without a word about it the driver would wait until the deadline.
    assert!(took < soon(), "{took:?}");
}

#[test]
fn an_address_that_does_not_answer_is_given_up() {
    // Whoever connects beyond the length of the queue is not answered.
    let socket = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    rustix::net::bind(&socket, &any).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    let queue: Vec<_> = (0..4).map(|_| TcpStream::connect_timeout(&address, Duration::from_millis(50))).collect();
    assert!(queue.iter().any(Result::is_err), "the queue is full");
    let (error, took) = refused(&options(address.port(), ""));
    assert_eq!(error.class, ErrorClass::ConnectionLost);
    assert!(error.message.contains("no whole answer came within 1 s") && took < soon(), "{took:?}: {error}");
}

#[test]
fn retries_that_a_descriptor_asks_for_are_not_waited_for() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let descriptor = format!(
        "(DESCRIPTION=(RETRY_COUNT=20)(RETRY_DELAY=3)(ADDRESS=(PROTOCOL=TCP)(HOST=127.0.0.1)(PORT={port}))\
         (CONNECT_DATA=(SID=ORCL)))"
    );
    let target = Target::parse(&format!("oracle://scott:tiger@?descriptor={descriptor}")).unwrap();
    let (error, took) = refused(&Options::parse(&target).unwrap());
    assert!(
        error.message.contains(&format!("127.0.0.1:{port}/SID ORCL")) && took < Duration::from_secs(2),
        "{took:?}: {error}"
    );
}

#[test]
fn silence_under_load_leaves_no_thread_either() {
    let listener = Listener::start(Fake::Silent);
    let options = options(listener.port, "");
    let _alone = recover(&COUNTING);
    let begun = Instant::now();
    thread::scope(|scope| {
        for node in 0..8 {
            scope.spawn({
                let options = options.clone();
                move || assert!(OracleConnection::open(&options, node, "dbdyno test").is_err())
            });
        }
    });
    assert!(begun.elapsed() < soon(), "{:?}", begun.elapsed());
    assert_eq!(threads(), 0);
}

#[test]
fn what_links_run_by_themselves_is_one_statement_each() {
    for sql in OracleConnection::own_statements() {
        assert!(sql.starts_with("ALTER SESSION SET ") || sql.starts_with("SELECT "), "{sql}");
        assert!(!sql.contains(';') && !sql.contains("  ") && sql.matches('\'').count() % 2 == 0, "{sql}");
    }
}

#[test]
fn a_login_needs_a_password() {
    let mut options = options(1, "");
    options.password = None;
    // A password in the environment would be taken.
    if std::env::var_os("DBDYNO_PASSWORD").is_none() {
        let error = OracleConnection::open(&options, 0, "dbdyno test").err().unwrap();
        assert_eq!(error.class, ErrorClass::Authentication);
        assert!(error.message.contains("no password was given; passwords are taken from DBDYNO_PASSWORD"), "{error}");
    }
}

#[test]
fn a_wallet_that_is_not_there_is_told() {
    let listener = Listener::start(Fake::Silent);
    let (error, _) = refused(&options(listener.port, "&protocol=tcps&wallet=/nowhere"));
    assert!(
        error.message.contains("/nowhere/ewallet.pem") && error.message.contains("wallet names the folder"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever a listener answers before it hangs up, it is an error, and the process goes on.
    #[test]
    fn no_answer_ends_the_process(kind in 0u8..16, said in proptest::collection::vec(any::<u8>(), 0..80), raw in any::<bool>()) {
        let answer = if raw { said } else { packet(kind, &said) };
        let listener = Listener::start(Fake::AnswersAndCloses(answer));
        let (error, took) = refused(&options(listener.port, ""));
        prop_assert!(took < soon(), "{:?}: {}", took, error);
    }
}
