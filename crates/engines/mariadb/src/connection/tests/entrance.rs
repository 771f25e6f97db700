//! Whom the server lets in, and what is said where it does not.

use super::*;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

#[test]
fn a_name_with_several_addresses_is_tried_at_each() {
    // Only one of the addresses of `localhost` is answered.
    let server = start(ServerOptions::default());
    let by_name = server.tcp("admin", "dbdyno").replace("127.0.0.1", "localhost");
    open(&by_name).unwrap();
    let error = refused(&format!("mariadb://u@localhost:{NOBODYS_PORT}/d"));
    assert!(error.target_lost() && error.message.contains("is the server running"), "{error}");
    let error = refused(&format!("mariadb://u@localhost:{NOBODYS_PORT}/d?sslmode=verify-full"));
    assert!(error.target_lost() && error.message.contains("is the server running"), "{error}");
}

/// Where nobody listens, nor will: a port that was free a moment ago may be another test's by now.
const NOBODYS_PORT: u16 = 1;

#[test]
fn tls_proves_what_the_mode_asks_for() {
    let server = start(ServerOptions::default().tls("DNS:localhost,DNS:db1.example"));
    let encrypted =
        |target: &str| !value(&mut open(target).unwrap(), "SHOW SESSION STATUS LIKE 'Ssl_cipher'").is_empty();
    let by_number = server.tcp("admin", "dbdyno");
    let by_name = by_number.replace("127.0.0.1", "localhost");
    let roots = format!("sslrootcert={}", server.authority().display());
    assert!(!encrypted(&format!("{by_number}?sslmode=disable")));
    for target in [
        by_number.clone(),
        format!("{by_number}?sslmode=require"),
        format!("{by_number}?sslmode=verify-ca&{roots}"),
        format!("{by_name}?sslmode=verify-full&{roots}"),
    ] {
        assert!(encrypted(&target), "{target}");
    }
    // The wrong name, no trusted authority, the wrong authority, and no file at all.
    let other = start(ServerOptions::default().tls("DNS:localhost"));
    let theirs = format!("sslrootcert={}", other.authority().display());
    for (target, said) in [
        (format!("{by_number}?sslmode=verify-full&{roots}"), "the certificate is not for 127.0.0.1"),
        (format!("{by_name}?sslmode=verify-ca"), "nobody trusted has signed"),
        (format!("{by_name}?sslmode=verify-full"), "nobody trusted has signed"),
        (format!("{by_name}?sslmode=verify-full&{theirs}"), "nobody trusted has signed"),
        (format!("{by_name}?sslmode=require&{theirs}"), "nobody trusted has signed"),
        (
            format!("{by_name}?sslmode=verify-full&sslrootcert=/nowhere.pem"),
            "cannot read the trusted certificates in /nowhere.pem",
        ),
    ] {
        let error = refused(&target);
        assert!(error.class == ErrorClass::ConnectionLost && error.message.contains(said), "{target}: {error}");
    }
    // There is no TLS on sockets, whatever the mode; and a cancel goes the same way as its connection.
    assert!(!encrypted(&format!("{}&sslmode=verify-full", server.socket("root", "dbdyno"))));
    assert_cancels(&format!("{by_name}?sslmode=verify-full&{roots}"));
    // Who has signed for itself as an authority is told so.
    let own = start(ServerOptions::default().self_signed_tls("DNS:localhost"));
    let target =
        format!("{}?sslmode=verify-ca&sslrootcert={}", own.tcp("admin", "dbdyno"), own.certificate().display());
    assert!(refused(&target).message.contains("basicConstraints=CA:FALSE"), "{}", refused(&target));
}

#[test]
fn without_tls_prefer_goes_on_and_require_does_not() {
    let server = start(ServerOptions::default().set("skip-ssl", ""));
    let target = options(&server.tcp("admin", "dbdyno"));
    for _ in 0..2 {
        MariaDbConnection::open(&target, 0, "dbdyno").unwrap();
    }
    assert!(target.without_tls.load(std::sync::atomic::Ordering::Relaxed));
    let error = refused(&format!("{}?sslmode=require", server.tcp("admin", "dbdyno")));
    assert!(error.target_lost() && error.message.contains("give the server a certificate"), "{error}");
    // And where the server wants it.
    let server = start(ServerOptions::default().tls("DNS:localhost").set("require_secure_transport", "ON"));
    open(&server.tcp("admin", "dbdyno")).unwrap();
    let error = refused(&format!("{}?sslmode=disable", server.tcp("admin", "dbdyno")));
    assert!(error.class == ErrorClass::Authentication && error.message.contains("sslmode=require"), "{error}");
}

#[test]
fn passwords_prove_who_we_are_and_are_never_shown() {
    let server = start(ServerOptions::default().tls("DNS:localhost").set("plugin-load-add", "auth_ed25519"));
    server.client(
        "",
        "CREATE USER scott IDENTIFIED BY 'ti:g@er'; GRANT ALL ON dbdyno.* TO scott; \
         CREATE USER strong IDENTIFIED VIA ed25519 USING PASSWORD('ti:g@er'); GRANT ALL ON dbdyno.* TO strong; \
         CREATE USER socket@localhost IDENTIFIED VIA unix_socket; CREATE USER pam IDENTIFIED VIA unix_socket;",
    );
    for mode in ["disable", "require"] {
        for user in ["scott", "strong"] {
            let target = format!("{}?sslmode={mode}", server.tcp(&format!("{user}:ti%3Ag%40er"), "dbdyno"));
            assert_eq!(value(&mut open(&target).unwrap(), "SELECT CURRENT_USER()"), format!("{user}@%"));
            let error = refused(&target.replace("ti%3Ag%40er", "secretword"));
            assert_eq!(error.class, ErrorClass::Authentication, "{error}");
            assert!(error.message.contains("the password came from the target or the prompt"), "{error}");
            assert!(!format!("{error:?}").contains("secretword"));
        }
    }
    let error = refused(&server.tcp("scott", "dbdyno"));
    assert!(error.class == ErrorClass::Authentication && error.message.contains("no password was given"), "{error}");
    // The operating system's user says who we are.
    let error = refused(&server.socket("socket", "dbdyno"));
    assert!(error.class == ErrorClass::Authentication, "{error}");
    assert!(error.message.contains("wants the operating system's user to be socket"), "{error}");
    server.client("", "ALTER USER root@localhost IDENTIFIED VIA unix_socket");
    if rustix::process::geteuid().is_root() {
        open(&server.socket("root", "information_schema_x")).unwrap();
    }
}

/// Stands before a server: refuses the password of the first connection, and passes the next one on.
fn refuses_first(server: &str) -> (u16, thread::JoinHandle<()>) {
    let before = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = before.local_addr().unwrap().port();
    let server = server.to_owned();
    let serving = thread::spawn(move || {
        let (mut client, _) = before.accept().unwrap();
        let mut greeting = [0; 1024];
        let bytes = TcpStream::connect(&server).unwrap().read(&mut greeting).unwrap();
        client.write_all(&greeting[..bytes]).unwrap();
        _ = client.read(&mut [0; 1024]).unwrap();
        client.write_all(b"\x15\0\0\x02\xff\x15\x04#28000Access denied").unwrap();
        let (client, _) = before.accept().unwrap();
        let server = TcpStream::connect(&server).unwrap();
        let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        thread::spawn(move || {
            _ = std::io::copy(&mut from_client, &mut to_server);
            _ = to_server.shutdown(Shutdown::Both);
        });
        _ = std::io::copy(&mut &server, &mut &client);
    });
    (port, serving)
}

#[test]
fn a_refused_password_is_tried_once_more() {
    let server = start(ServerOptions::default());
    server.client("", "CREATE USER scott IDENTIFIED BY 'tiger'; GRANT ALL ON dbdyno.* TO scott");
    let (port, serving) = refuses_first(&format!("127.0.0.1:{}", server.port));
    let target = format!("mariadb://scott:tiger@127.0.0.1:{port}/dbdyno?sslmode=disable");
    assert_eq!(value(&mut open(&target).unwrap(), "SELECT CURRENT_USER()"), "scott@%");
    serving.join().unwrap();
}

#[test]
fn who_turns_us_away_says_what_to_do() {
    let server = start(ServerOptions::default());
    let error = refused(&server.tcp("absent", "dbdyno"));
    assert_eq!(error.class, ErrorClass::Authentication, "{error}");
    server.client("", "CREATE USER stranger@'127.0.0.1'");
    let error = refused(&server.tcp("stranger", "dbdyno"));
    let statement = "EXECUTE ON `dbdyno`.* TO 'stranger'@'127.0.0.1'";
    assert!(error.class == ErrorClass::Permission && error.message.contains(statement), "{error}");
    server.client(
        "",
        "CREATE USER narrow@'127.0.0.1' WITH MAX_USER_CONNECTIONS 2; GRANT ALL ON dbdyno.* TO narrow@'127.0.0.1'",
    );
    let narrow = options(&server.tcp("narrow", "dbdyno"));
    let _two = [0, 1].map(|_| MariaDbConnection::open(&narrow, 0, "dbdyno").unwrap());
    let error = MariaDbConnection::open(&narrow, 0, "dbdyno").map(drop).unwrap_err();
    assert_eq!(error.class, ErrorClass::Other, "{error}");
    assert!(error.message.contains("this account's MAX_USER_CONNECTIONS 2; dbdyno has 2 connections"), "{error}");
    server.client("", "ALTER USER narrow@'127.0.0.1' ACCOUNT LOCK");
    let error = refused(&server.tcp("narrow", "dbdyno"));
    assert!(error.class == ErrorClass::Authentication && error.message.contains("ACCOUNT UNLOCK"), "{error}");
    let server = start(ServerOptions::default().set("max_connections", "10"));
    server.client("", "CREATE USER scott@'127.0.0.1'; GRANT ALL ON dbdyno.* TO scott@'127.0.0.1'");
    let target = options(&server.tcp("scott", "dbdyno"));
    let connections: Vec<_> = (0..12).map_while(|_| MariaDbConnection::open(&target, 0, "dbdyno").ok()).collect();
    let error = MariaDbConnection::open(&target, 0, "dbdyno").map(drop).unwrap_err();
    let open = connections.len();
    let said = format!("max_connections is 10; dbdyno has {open} connections and asked for one more");
    assert!(error.class == ErrorClass::Other && error.message.contains(&said), "{error}");
}

#[test]
fn who_is_not_there_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let started = Instant::now();
    for mode in ["disable", "prefer", "require"] {
        let error = refused(&format!("mariadb://u@127.0.0.1:{port}/d?connect_timeout=1&sslmode={mode}"));
        assert!(error.target_lost() && error.message.contains("nothing answered within 1 s"), "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(10));
    // Nobody is given this one, as another test might be given that of a listener which has gone.
    let port = 1;
    let error = refused(&format!("mariadb://u@127.0.0.1:{port}/d"));
    assert!(error.target_lost() && error.message.contains("is the server running"), "{error}");
    assert!(error.message.contains(&format!("connecting to 127.0.0.1:{port} as u, database d")), "{error}");
    let error = refused("mariadb://u@/d?socket=/nowhere/db.sock");
    assert!(error.target_lost() && error.message.contains("/nowhere/db.sock"), "{error}");
    assert!(error.message.contains("is this its socket"), "{error}");
    let error = refused("mariadb://u@no-such-host.invalid/d");
    assert!(error.target_lost() && error.message.contains("spelt right"), "{error}");
}

/// Something that answers a connection with `says`, reads a little, and goes.
fn other_server(says: &'static [u8]) -> (u16, thread::JoinHandle<()>) {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let serving = thread::spawn(move || {
        let (mut stream, _) = other.accept().unwrap();
        stream.write_all(says).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        _ = stream.read(&mut [0; 8]);
    });
    (port, serving)
}

#[test]
fn other_servers_are_told_from_ours() {
    for says in [
        b"".as_slice(),
        b"SSH-2.0-OpenSSH_9.2p1\r\n",
        b"220 mail.example ESMTP\r\n",
        b"\0\0\0\0",
        b"\x05\0\0\0\x0a5.5\0",
        b"\x01\0\0\0\x09",
    ] {
        let (port, serving) = other_server(says);
        let error = refused(&format!("mariadb://u@127.0.0.1:{port}/d?sslmode=disable&connect_timeout=2"));
        assert!(error.target_lost() && error.message.contains("is it a MariaDB server"), "{says:?}: {error}");
        serving.join().unwrap();
    }
}
