//! Who gets what of the page's server, and that nobody disturbs the load or keeps others out.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{Answer, TOKEN, believable, connect, events, get, options, post, raw, served, with_token};
use dbdyno_live::{Board, Contact, PlainText, ServeError, ServeOptions, TlsFiles, serve};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATHS: [&str; 3] = ["/history", "/events", "/metrics"];

fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

#[test]
fn other_addresses_than_loopback_need_a_token_and_tls() {
    let open = SocketAddr::from(([0, 0, 0, 0], 0));
    let refused = |options| serve(Arc::new(Board::default()), options).unwrap_err();
    let error = refused(ServeOptions { address: open, ..options() });
    assert!(matches!(error, ServeError::NoToken(_)) && error.to_string().contains("token"), "{error}");
    let error = refused(ServeOptions { address: open, plain_text: PlainText::Allowed, ..options() });
    assert!(matches!(error, ServeError::NoToken(_)), "{error}");
    let error = refused(ServeOptions { address: open, ..with_token() });
    assert!(matches!(error, ServeError::NoTls(_)) && error.to_string().contains("--insecure"), "{error}");
    let allowed = ServeOptions { address: open, plain_text: PlainText::Allowed, ..with_token() };
    let serving = serve(Arc::new(Board::default()), allowed).unwrap();
    assert!(serving.url().ends_with(&format!("/#{}", TOKEN.replace('-', "%2D"))), "{}", serving.url());
    let own = serving.url().split("//").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let address = SocketAddr::from(([127, 0, 0, 1], serving.address().port()));
    let request = format!("GET / HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n");
    assert_eq!(raw(address, request.as_bytes()).status, 200, "the address that is shown is answered: {own}");
}

#[test]
fn without_the_token_there_is_the_empty_page_alone() {
    let (_board, serving) = served(30, with_token());
    let address = serving.address();
    let page = get(address, "/", "");
    assert_eq!(page.status, 200);
    assert!(!page.body.contains("Order Entry") && !page.body.contains("order-entry"));
    for path in PATHS {
        for headers in ["", "Authorization: Bearer \r\n", "Authorization: Basic eA==\r\n", "Cookie: dbdyno=1; x\r\n"] {
            let answer = get(address, path, headers);
            assert_eq!((answer.status, answer.body.as_str()), (401, "The token is needed."), "{path} {headers}");
        }
    }
    // Whoever guesses waits, and learns nothing.
    let begun = Instant::now();
    for guess in ["wrong", &TOKEN[..TOKEN.len() - 1], &format!("{TOKEN}x"), ""] {
        let answer = post(address, "/session", "", guess);
        assert_eq!((answer.status, answer.body.as_str()), (401, "The token is needed."));
        assert_eq!(answer.header("set-cookie"), None);
        let bearer = get(address, "/metrics", &format!("Authorization: Bearer {guess}x\r\n"));
        assert_eq!(bearer.status, 401);
    }
    assert!(begun.elapsed() >= Duration::from_secs(4));
}

#[test]
fn the_token_is_exchanged_for_a_cookie_and_comes_back_nowhere() {
    let (_board, serving) = served(30, with_token());
    let address = serving.address();
    let answer = post(address, "/session", "", TOKEN);
    assert_eq!(answer.status, 204);
    let set = answer.header("set-cookie").unwrap().to_owned();
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Secure") && !set.contains("Domain"), "{set}");
    let cookie = format!("Cookie: {}\r\n", cookie(&answer));
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    let mut all = vec![answer, get(address, "/", &cookie), get(address, "/nothing", &bearer)];
    for headers in [&cookie, &bearer] {
        all.extend(["/history", "/metrics"].map(|path| get(address, path, headers)));
    }
    assert!(all[3..].iter().all(|answer| answer.status == 200));
    all.push(post(address, "/session", "", &format!("{TOKEN}x")));
    for answer in &all {
        assert!(!answer.head.contains(TOKEN) && !answer.body.contains(TOKEN));
    }
    let stream = events(address, "/events?from=0", &cookie, |text| text.contains("event: state"));
    assert!(!stream.contains(TOKEN) && stream.contains("event: reading"));
    // A second viewer has another cookie.
    assert_ne!(common::post(address, "/session", "", TOKEN).header("set-cookie"), Some(set.as_str()));
}

#[test]
fn foreign_names_and_foreign_pages_get_nothing() {
    let (_board, serving) = served(30, options());
    let address = serving.address();
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", ""] {
        for path in ["/", "/history", "/events", "/metrics", "/nothing"] {
            let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let answer = raw(address, request.as_bytes());
            assert_eq!(answer.status, 421, "{host} {path}");
            assert!(!answer.body.contains("evil"), "what was sent does not come back");
        }
    }
    let port = address.port();
    for host in [format!("localhost:{port}"), format!("[::1]:{port}"), "127.0.0.1:9000".to_owned()] {
        let request = format!("GET /history HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(raw(address, request.as_bytes()).status, 200, "{host}");
    }
    for request in [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(),
        "GET / HTTP/1.0\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: {address}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
    ] {
        assert_eq!(raw(address, request.as_bytes()).status, 400, "{request}");
    }
    let absolute = format!("GET http://evil.example/history HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    assert_eq!(raw(address, absolute.as_bytes()).status, 421);
    for origin in ["http://evil.example", "null", &format!("http://127.0.0.1:{}", port.wrapping_add(1))] {
        let answer = get(address, "/history", &format!("Origin: {origin}\r\n"));
        assert_eq!(answer.status, 403, "{origin}");
    }
    assert_eq!(get(address, "/history", &format!("Origin: http://{address}\r\n")).status, 200);
    for (site, status) in [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)] {
        let header = format!("Sec-Fetch-Site: {site}\r\n");
        assert_eq!(get(address, "/history", &header).status, status, "{site}");
        assert_eq!(get(address, "/", &header).status, 200, "a link may lead here");
    }
}

#[test]
fn every_answer_is_guarded() {
    let (_board, serving) = served(30, options());
    let address = serving.address();
    let answers = ["/", "/history", "/metrics", "/nothing", "/history?from=x"].map(|path| get(address, path, ""));
    assert_eq!(answers.each_ref().map(|answer| answer.status), [200, 200, 200, 404, 400]);
    for answer in answers.iter().chain(&[post(address, "/", "", "x"), post(address, "/session", "", "x")]) {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe") && policy.contains("connect-src 'self'"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(!answer.head.to_lowercase().contains("access-control"), "{}", answer.head);
    }
    assert!(answers[0].body.len() < 200_000);
    // It is read-only.
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"] {
        for path in ["/", "/history", "/events", "/metrics"] {
            let request = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
            assert_eq!(raw(address, request.as_bytes()).status, 405, "{method} {path}");
        }
    }
    assert_eq!(get(address, "/session", "").header("allow"), Some("POST"));
}

#[test]
fn requests_that_are_too_large_or_too_slow_are_ended() {
    let (_board, serving) = served(30, with_token());
    let address = serving.address();
    let head = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    let long = "x".repeat(20_000);
    assert_eq!(raw(address, format!("{head}X-Long: {long}\r\n\r\n").as_bytes()).status, 431);
    assert!([414, 431].contains(&get(address, &format!("/{long}"), "").status));
    let many = "X-One: 1\r\n".repeat(200);
    assert_eq!(raw(address, format!("{head}{many}\r\n").as_bytes()).status, 431);
    assert_eq!(post(address, "/session", "", &"x".repeat(1_025)).status, 413);
    let chunked = format!(
        "POST /session HTTP/1.1\r\nHost: {address}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1000\r\n{}\r\n0\r\n\r\n",
        "x".repeat(4_096)
    );
    assert_eq!(raw(address, chunked.as_bytes()).status, 413);
    // A size that is only announced is refused without waiting for it.
    let announced = format!("POST /session HTTP/1.1\r\nHost: {address}\r\nContent-Length: 999999999\r\n\r\n");
    assert_eq!(raw(address, announced.as_bytes()).status, 413);
    assert_eq!(raw(address, format!("{head}Content-Length: 5\r\n\r\nhello").as_bytes()).status, 400);
    // Smuggled: two lengths.
    let two = format!("{head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!");
    assert_eq!(raw(address, two.as_bytes()).status, 400);
    let begun = Instant::now();
    let mut half = connect(address);
    half.write_all(format!("POST /session HTTP/1.1\r\nHost: {address}\r\nContent-Length: 20\r\n\r\nhalf").as_bytes())
        .unwrap();
    let mut answer = Vec::new();
    _ = half.read_to_end(&mut answer);
    assert_eq!(Answer::of(&answer).status, 408);
    let mut head_alone = connect(address);
    head_alone.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    _ = head_alone.read_to_end(&mut answer);
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

/// Connections that ask nothing, send a byte at a time, or never read.
#[test]
fn a_thousand_idle_clients_keep_nobody_out_and_hold_nobody_up() {
    // Both ends of each connection are in this process.
    let mut files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    files.current = files.maximum;
    rustix::process::setrlimit(rustix::process::Resource::Nofile, files).unwrap();
    let (board, serving) = served(30, options());
    let address = serving.address();
    let mut idle: Vec<TcpStream> = (0..1_000).map(|_| connect(address)).collect();
    for stream in idle.iter_mut().step_by(3) {
        _ = stream.write_all(b"GET / HTTP/1.1\r\nHo");
    }
    let begun = Instant::now();
    assert_eq!(get(address, "/", "").status, 200);
    assert!(
        begun.elapsed() < Duration::from_secs(4),
        "before any idle one is ended for its time: {:?}",
        begun.elapsed()
    );
    // Streams that nobody reads, up to their number and beyond.
    let mut unread: Vec<TcpStream> = (0..60).map(|_| connect(address)).collect();
    for stream in &mut unread {
        _ = stream.write_all(format!("GET /events?from=0 HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
    }
    std::thread::sleep(Duration::from_millis(300));
    let mut slowest = Duration::ZERO;
    for second in 0..3_000 {
        let reading = believable(jiff::Timestamp::now(), second, 0, 1, 64, true);
        let begun = Instant::now();
        board.push(reading);
        slowest = slowest.max(begun.elapsed());
    }
    assert!(slowest < Duration::from_secs(1), "a reading was held up for {slowest:?}");
    let begun = Instant::now();
    assert_eq!(get(address, "/history", "").status, 200);
    assert_eq!(get(address, "/", "").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(memory_mib() < 400, "{} MiB", memory_mib());
    drop((idle, unread));
    let begun = Instant::now();
    drop(serving);
    assert!(begun.elapsed() < Duration::from_secs(10), "nobody is waited for");
}

#[test]
fn a_client_that_never_reads_is_ended() {
    let (_board, serving) = served(1_200, options());
    let mut stream = connect(serving.address());
    let request = format!("GET /history HTTP/1.1\r\nHost: {}\r\n\r\n", serving.address());
    stream.write_all(request.repeat(20).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_secs(18));
    let mut bytes = Vec::new();
    _ = stream.read_to_end(&mut bytes);
    let answers = String::from_utf8_lossy(&bytes).matches("HTTP/1.1 200").count();
    assert!((1..20).contains(&answers), "{answers} answers");
}

#[test]
fn what_serves_does_not_show_the_token() {
    let (_board, serving) = served(1, with_token());
    let shown = format!("{serving:?} {:?}", with_token());
    assert!(!shown.contains(TOKEN) && !shown.contains("%2D"), "{shown}");
}

/// What this process has in memory.
fn memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().split(' ').next().unwrap().parse::<u64>().unwrap() / 1_024
}

fn ids(text: &str) -> Vec<u64> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("id: "));
    lines.filter_map(|id| id.rsplit('-').next()?.parse().ok()).collect()
}

#[test]
fn events_go_on_where_they_were_cut() {
    let (board, serving) = served(30, options());
    let address = serving.address();
    let first = events(address, "/events?from=28", "", |text| ids(text).len() == 2 && text.contains("event: state"));
    assert_eq!(ids(&first), [28, 29]);
    assert!(first.contains("content-type: text/event-stream") && !first.contains("event: gap"));
    let last = first.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap();
    (0..5).for_each(|n| board.push(believable(jiff::Timestamp::now(), 30 + n, 0, 1, 8, true)));
    let header = format!("Last-Event-ID: {last}\r\n");
    assert_eq!(ids(&events(address, "/events?from=0", &header, |text| ids(text).len() >= 5)), [30, 31, 32, 33, 34]);
    // An id of another dbdyno, and none that could be one: the history is asked for.
    for id in ["00-3", "nonsense", &last.replace("-29", "-99999")] {
        let header = format!("Last-Event-ID: {id}\r\n");
        let text = events(address, "/events", &header, |text| text.contains("event: gap"));
        assert_eq!(ids(&text), Vec::<u64>::new(), "{id}");
    }
    // Whoever is far behind is told so and gets the newest.
    (0..1_000).for_each(|n| board.push(believable(jiff::Timestamp::now(), 35 + n, 0, 1, 8, true)));
    let behind = events(address, "/events?from=0", "", |text| ids(text).contains(&1_034));
    assert!(behind.contains("event: gap") && ids(&behind).len() < 5, "{:?}", ids(&behind));
    board.set_contact(Contact::Lost { since: jiff::Timestamp::now(), why: "gone".to_owned() });
    board.end("the run is done".to_owned());
    let text = events(address, "/events", "", |text| text.contains("\"over\":\"the run is done\""));
    assert!(text.contains("\"why\":\"gone\""));
}

#[test]
fn the_history_is_that_since_the_start() {
    let (board, serving) = served(2_000, options());
    let address = serving.address();
    let answer = get(address, "/history", "");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let all = answer.json();
    let readings = all["readings"].as_array().unwrap();
    assert!((600..=1_200).contains(&readings.len()), "{}", readings.len());
    assert!(answer.body.len() < 4_000_000, "{}", answer.body.len());
    assert_eq!((&readings[0]["n"], &all["state"]["next"]), (&0.into(), &2_000.into()));
    assert_eq!(all["state"]["marks"].as_array().unwrap().len(), board.marks().len());
    assert_eq!(all["state"]["title"], "Order Entry, 8 to 64 users");
    let last = all["state"]["last"].as_i64().unwrap();
    let part = get(address, &format!("/history?from={}&to={last}", last - 99_500), "").json();
    assert_eq!(part["readings"].as_array().unwrap().len(), 100);
    assert_eq!(part["state"]["step_ms"], 0);
}

fn certificate(folder: &std::path::Path) -> TlsFiles {
    let made = std::process::Command::new("openssl")
        .current_dir(folder)
        .args(["req", "-x509", "-days", "2", "-nodes", "-subj", "/CN=db1.example", "-newkey", "ec", "-pkeyopt"])
        .args(["ec_paramgen_curve:prime256v1", "-keyout", "server.key", "-out", "server.crt"])
        .args(["-addext", "subjectAltName=DNS:db1.example,DNS:*.lab.example,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    TlsFiles { certificate: folder.join("server.crt"), key: folder.join("server.key") }
}

fn secret(address: SocketAddr, files: &TlsFiles, request: &str) -> Answer {
    use rustls::pki_types::pem::PemObject;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(rustls::pki_types::CertificateDer::from_pem_file(&files.certificate).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let client = rustls::ClientConnection::new(config, "db1.example".try_into().unwrap()).unwrap();
    let mut stream = rustls::StreamOwned::new(client, connect(address));
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    _ = stream.read_to_end(&mut bytes);
    Answer::of(&bytes)
}

#[test]
fn with_tls_the_name_of_the_certificate_is_ours_and_the_cookie_secure() {
    let folder = tempfile::tempdir().unwrap();
    let files = certificate(folder.path());
    let (_board, serving) = served(30, ServeOptions { tls: Some(files.clone()), ..with_token() });
    let address = serving.address();
    assert!(serving.url().starts_with(&format!("https://db1.example:{}/#", address.port())), "{}", serving.url());
    let length = TOKEN.len();
    for (host, status) in [("db1.example", 204), ("a.lab.example:1", 204), ("127.0.0.1", 204), ("evil.example", 421)] {
        let request = format!(
            "POST /session HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{TOKEN}"
        );
        let answer = secret(address, &files, &request);
        assert_eq!(answer.status, status, "{host}");
        if status == 204 {
            let set = answer.header("set-cookie").unwrap();
            assert!(set.starts_with("__Host-dbdyno-") && set.ends_with("; Secure"), "{set}");
            let cookie = cookie(&answer);
            let request =
                format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nCookie: {cookie}\r\n\r\n");
            assert_eq!(secret(address, &files, &request).status, 200);
        }
    }
    // Plain text gets no answer, and others do.
    let mut plain = connect(address);
    _ = plain.write_all(format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
    let mut bytes = Vec::new();
    _ = plain.read_to_end(&mut bytes);
    assert!(!bytes.starts_with(b"HTTP"));
    let wrong = |files: TlsFiles| {
        serve(Arc::default(), ServeOptions { tls: Some(files), ..options() }).unwrap_err().to_string()
    };
    let swapped = wrong(TlsFiles { certificate: files.key.clone(), key: files.certificate.clone() });
    assert!(swapped.contains("server.key") && swapped.contains("TLS"), "{swapped}");
    let none = wrong(TlsFiles { certificate: folder.path().join("none.crt"), key: files.key });
    assert!(none.contains("none.crt"), "{none}");
}

#[test]
fn an_address_that_is_taken_is_named() {
    let (_board, serving) = served(1, options());
    let error =
        serve(Arc::default(), ServeOptions { address: serving.address(), ..options() }).unwrap_err().to_string();
    assert!(error.contains(&serving.address().to_string()), "{error}");
}
