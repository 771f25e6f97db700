use super::*;
use dbdyno_engine::secret::Secret;
use dbdyno_engine::server::url::os_user;
use proptest::prelude::*;
use std::time::Duration;

fn parse(text: &str) -> Result<Options, String> {
    Target::parse(text).and_then(|target| Options::parse(&target)).map_err(|e| e.to_string())
}

fn hosts(text: &str) -> String {
    parse(text).unwrap().hosts.iter().map(Host::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn targets_name_users_hosts_and_databases() {
    let options = parse(
        "mariadb://sc%40tt:ti%2Fger@db1:3307,db2/my%20db?sslmode=verify-full&sslrootcert=/r.pem&connect_timeout=3",
    )
    .unwrap();
    assert_eq!((options.user.as_str(), options.database.as_str()), ("sc@tt", "my db"));
    assert_eq!(options.password, Some(Secret::new("ti/ger")));
    assert_eq!(
        (options.ssl_mode, options.root_certificates.clone()),
        (SslMode::VerifyFull, Some(PathBuf::from("/r.pem")))
    );
    assert_eq!(options.connect_timeout, Duration::from_secs(3));
    assert_eq!(options.hosts[1], Host { address: Address::Tcp("db2".to_owned()), port: 3306 });
    let options = parse("mariadb://db1").unwrap();
    assert_eq!((options.ssl_mode, options.connect_timeout), (SslMode::Prefer, Duration::from_secs(10)));
    assert_eq!(Some(&options.user), os_user().as_ref());
    assert_eq!(options.database, "dbdyno");
    assert_eq!(parse("mariadb://scott@h?sslrootcert=system").unwrap().root_certificates, None);
}

#[test]
fn hosts_are_names_numbers_and_sockets() {
    for (text, expected) in [
        ("mariadb://u@a:1,b:2,c/x?port=7", "a:1 b:2 c:7"),
        ("mariadb://u@a,b/x?port=7,8", "a:7 b:8"),
        ("mariadb://u@[::1]:6000,[fe80::1]/x", "[::1]:6000 [fe80::1]:3306"),
        ("mariadb://u@/x?socket=/run/db.sock", "/run/db.sock"),
        ("mariadb://u@%2Frun%2Fdb.sock/x", "/run/db.sock"),
        ("mariadb:///x?host=h1,/s&port=1", "h1:1 /s"),
        ("mariadb:///x?port=4000", "localhost:4000"),
        ("mariadb:///x?socket=/a,/b", "/a /b"),
    ] {
        match parse(text) {
            Ok(_) => assert_eq!(hosts(text), expected, "{text}"),
            Err(error) => assert!(text.contains("h1,/s") && error.contains("has no port"), "{text}: {error}"),
        }
    }
    // Without any host it is this machine, by whichever way.
    assert!(parse("mariadb:///x").unwrap().hosts[0].is_local());
    assert!(!parse("mariadb://h/x").unwrap().hosts[0].is_local());
    assert!(parse("mariadb://127.0.0.2/x").unwrap().hosts[0].is_local());
    let two = parse("mariadb://a,b/x").unwrap();
    assert_eq!((two.host(1), two.host(2)), (&two.hosts[1], &two.hosts[0]));
}

#[test]
fn what_is_not_understood_is_refused_with_what_is() {
    for (text, said) in [
        ("mariadb:db", "write mariadb://user@host"),
        ("mariadb://h/x?ssl=1", "there is no option 'ssl'; there are sslmode="),
        ("mariadb://h/x?sslmode=on", "sslmode is one of disable, prefer"),
        ("mariadb://h:x/d", "a port is expected behind ':'"),
        ("mariadb://u:Geheim77", "a port is expected behind ':'; a port is a number"),
        ("mariadb://h:0/d", "'0' is no port"),
        ("mariadb://h:65536/d", "'65536' is no port"),
        ("mariadb://a,,b/d", "'' is no host"),
        ("mariadb://a b/d", "'a b' is no host"),
        ("mariadb://::1/d", "in brackets: [::1]"),
        ("mariadb://[::1/d", "no closing bracket"),
        ("mariadb://[::1]5/d", "behind the bracket of a host stands no port"),
        ("mariadb://h/%zz", "the database '%zz' is not percent-encoded"),
        ("mariadb://a/d?host=b", "hosts both before the database and as an option"),
        ("mariadb://a/d?socket=/s", "hosts both before the database and as an option"),
        ("mariadb:///d?socket=s", "begins with /"),
        ("mariadb:///d?socket=/s&port=3", "the socket /s has no port"),
        ("mariadb://a,b,c/d?port=1,2", "2 ports for 3 hosts"),
        ("mariadb://a/d?sslrootcert=/r.pem", "sslmode=prefer verifies nothing"),
        ("mariadb://a/d?connect_timeout=0", "from 1 to 3600"),
        ("mariadb://a/MySQL", "is the server's own"),
        ("mariadb://a/information_schema", "such as dbdyno"),
        ("mariadb://a/x%20", "does not end with a space"),
        ("mariadb://a/x%07", "control"),
        (&format!("mariadb://a/{}", "x".repeat(65)), "at most 64"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn names_are_quoted() {
    assert_eq!(parse("mariadb://a/x%60y%20z").unwrap().quoted_database(), "`x``y z`");
}

proptest! {
    /// No text makes the parser panic, and every host that it accepts is shown as it was meant.
    #[test]
    fn any_text_is_understood_or_refused(text in "[a-z0-9:/@,?&=%\\[\\].]{0,40}") {
        if let Ok(options) = parse(&format!("mariadb://{text}")) {
            prop_assert!(!options.hosts.is_empty() && !options.database.is_empty());
            let plain = |host: &&Host| host.name().is_some_and(|name| !name.contains('%'));
            for host in options.hosts.iter().filter(plain) {
                prop_assert_eq!(&parse(&format!("mariadb://u@{host}/d")).unwrap().hosts[0], host);
            }
        }
    }
}
