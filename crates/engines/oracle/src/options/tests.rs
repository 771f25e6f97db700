use super::*;
use proptest::prelude::*;
use std::fs;

fn parse(text: &str) -> Result<Options, String> {
    Target::parse(text).and_then(|target| Options::parse(&target)).map_err(|e| e.to_string())
}

fn places(text: &str) -> String {
    parse(text).unwrap().places.iter().map(Place::to_string).collect::<Vec<_>>().join(" ")
}

const DESCRIPTOR: &str = "(DESCRIPTION=(RETRY_COUNT=20)(RETRY_DELAY=3)(SDU=65535)(CONNECT_TIMEOUT=9)(ADDRESS_LIST=(LOAD_BALANCE=ON)\
     (ADDRESS=(PROTOCOL=TCPS)(HOST=db1)(PORT=1522))(ADDRESS=(PROTOCOL=TCPS)(HOST=db2)(PORT=1522)))\
     (CONNECT_DATA=(SERVICE_NAME=sales.example)))";

#[test]
fn targets_name_users_nodes_and_options() {
    let options = parse(
        "oracle://sc_tt:ti%2Fger@db1:1522,db2/sales?protocol=tcps&wallet=/w&connect_timeout=3&without=hcc,partitioning\
         &diagnostics_pack=yes",
    )
    .unwrap();
    assert_eq!((options.user.as_str(), options.schema().as_str()), ("sc_tt", "SC_TT"));
    assert_eq!(options.password, Some(Secret::new("ti/ger")));
    assert_eq!((options.wallet.clone(), options.connect_timeout), (Some(PathBuf::from("/w")), Duration::from_secs(3)));
    assert!(options.leaves_out(Part::Partitioning) && options.leaves_out(Part::HybridColumnarCompression));
    assert!(!options.leaves_out(Part::AdvancedCompression) && options.diagnostics_pack);
    assert_eq!((options.place(0).host(), options.place(3).host()), (("db1", 1522), ("db2", 1521)));
    assert_eq!(
        options.place(0).descriptor(),
        "(DESCRIPTION=(RETRY_DELAY=0)(ADDRESS=(PROTOCOL=TCPS)(HOST=db1)(PORT=1522))\
         (CONNECT_DATA=(SERVICE_NAME=sales)(SERVER=dedicated)))"
    );
    let options = parse("oracle://db1/sales").unwrap();
    assert_eq!((options.user.as_str(), options.connect_timeout), ("dbdyno", Duration::from_secs(10)));
    assert!(!options.diagnostics_pack && options.without.is_empty() && !options.place(0).is_encrypted());
    assert_eq!(parse("oracle://%22My%20User%22@h/s").unwrap().schema(), "My User");
}

#[test]
fn nodes_are_hosts_services_or_pairs_of_them() {
    for (text, expected) in [
        ("oracle://u@a:1,b:2,c/x", "a:1/x b:2/x c:1521/x"),
        ("oracle://u@a:7/x,y", "a:7/x a:7/y"),
        ("oracle://u@a,b/x,y", "a:1521/x b:1521/y"),
        ("oracle://u@[::1]:6000,[fe80::1]/x", "[::1]:6000/x [fe80::1]:1521/x"),
        ("oracle://u@a/x:pooled/inst1", "a:1521/x/inst1"),
        ("oracle://u@a:/x.example.com", "a:1521/x.example.com"),
    ] {
        assert_eq!(places(text), expected, "{text}");
    }
    let place = parse("oracle://u@a/x:SHARED/inst1").unwrap().places.remove(0);
    assert!(place.descriptor().contains("(SERVER=shared)(INSTANCE_NAME=inst1)"), "{place:?}");
    assert_eq!(place.service(), Some("x"));
    for (text, local) in [("oracle://127.0.0.2/x", true), ("oracle://localhost/x", true), ("oracle://a/x", false)] {
        assert_eq!(parse(text).unwrap().place(0).is_local(), local, "{text}");
    }
}

#[test]
fn descriptors_lose_their_retries() {
    let options = parse(&format!("oracle://u@?descriptor={DESCRIPTOR}&wallet=/w")).unwrap();
    let place = options.place(0);
    let text = place.descriptor();
    assert!(
        !text.contains("RETRY_COUNT") && !text.contains("SDU") && text.matches("(RETRY_DELAY=0)").count() == 1,
        "{text}"
    );
    assert!(text.contains("(LOAD_BALANCE=ON)") && text.contains("(HOST=db2)"), "{text}");
    assert_eq!((place.to_string().as_str(), place.host()), ("db1:1522/sales.example", ("db1", 1522)));
    assert!(place.is_encrypted());
    let sid = "(DESCRIPTION=(ADDRESS=(HOST=h))(CONNECT_DATA=(SID=ORCL)))";
    let two = parse(&format!("oracle://u@?descriptor={sid}&descriptor={DESCRIPTOR}")).unwrap();
    assert_eq!((two.places.len(), two.place(0).to_string().as_str()), (2, "h:1521/SID ORCL"));
    assert!(two.place(0).descriptor().contains("(SID=ORCL)") && two.place(0).service().is_none());
}

#[test]
fn aliases_are_looked_up_where_the_target_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("# ours\nSALES, sales.world =\n  {DESCRIPTOR}\nODD = (DESCRIPTION=(ADDRESS=(HOST=ä\n");
    fs::write(folder.path().join("tnsnames.ora"), file).unwrap();
    let admin = folder.path().display();
    assert_eq!(
        places(&format!("oracle://u@?tns=sales,SALES.WORLD&tns_admin={admin}")),
        "sales (db1:1522/sales.example) SALES.WORLD (db1:1522/sales.example)"
    );
    for (alias, said) in
        [("hr", "there is no alias 'hr'"), ("odd", "under odd is not understood"), ("a/b", "is no alias")]
    {
        let error = parse(&format!("oracle://u@?tns={alias}&tns_admin={admin}")).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
    let error = parse("oracle://u@?tns=sales&tns_admin=/nowhere").unwrap_err();
    assert!(error.contains("/nowhere/tnsnames.ora cannot be read"), "{error}");
}

#[test]
fn what_is_not_understood_is_refused_with_what_is() {
    for (text, said) in [
        ("oracle:db", "write oracle://user@host"),
        ("oracle://u@h", "it names no service"),
        ("oracle://u@h", "?descriptor=(DESCRIPTION="),
        ("oracle://u@", "it names no server"),
        ("oracle://u@h:1521:ORCL", "a SID can only be named by a descriptor"),
        ("oracle://u@h/s?sid=ORCL", "a SID can only be named by a descriptor"),
        ("oracle://h/x?widout=hcc", "there is no option 'widout' (did you mean 'without'?); there are protocol="),
        ("oracle://h/x?zzzzzzzz=1", "there is no option 'zzzzzzzz'; there are"),
        ("oracle://h/x?without=partitoning", "no part 'partitoning' (did you mean 'partitioning'?)"),
        ("oracle://h/x?without=zzzzzzzzzzzz", "no part 'zzzzzzzzzzzz'; there are partitioning, advanced_compression"),
        ("oracle://h/x?diagnostics_pack=1", "diagnostics_pack is yes"),
        ("oracle://h/x?protocol=ssl", "protocol is tcp or tcps"),
        ("oracle://h/x?wallet=/w", "write protocol=tcps as well"),
        ("oracle://h/x?connect_timeout=0", "from 1 to 3600"),
        ("oracle://h:x/d", "a port is expected behind ':'"),
        ("oracle://u:Geheim77", "a port is expected behind ':'; a port is a number"),
        ("oracle://h:0/d", "'0' is no port"),
        ("oracle://a,,b/d", "'' is no host"),
        ("oracle://a%20b/d", "'a b' is no host"),
        ("oracle://a)(b/d", "'a)(b' is no host"),
        ("oracle://::1/d", "in brackets: [::1]"),
        ("oracle://[::1/d", "no closing bracket"),
        ("oracle://[::1]5/d", "behind the bracket of a host stands no port"),
        ("oracle://h/%zz", "the service '%zz' is not percent-encoded"),
        ("oracle://h/a)(SID=x", "is no service"),
        ("oracle://h/a:best", "'best' is no kind of server process"),
        ("oracle://a,b,c/x,y", "3 hosts and 2 services"),
        ("oracle://h/x?tns=y", "names its server twice"),
        ("oracle://u@?tns=y&descriptor=(a=b)", "names its server twice"),
        ("oracle://u@?descriptor=sales", "an alias is named by ?tns=ALIAS"),
        ("oracle://u@?descriptor=(DESCRIPTION=", "the descriptor is not understood"),
        ("oracle://u@?descriptor=(DESCRIPTION=(ADDRESS=(HOST=ä)))", "beyond ASCII"),
        (
            "oracle://u@?descriptor=(DESCRIPTION=(ADDRESS=(HOST=h)(HTTPS_PROXY=p))(CONNECT_DATA=(SID=x)))",
            "through a proxy",
        ),
        (
            "oracle://u@?descriptor=(DESCRIPTION=(ADDRESS=(HOST=h))(CONNECT_DATA=(SID=x)))&protocol=tcps",
            "leave protocol away",
        ),
        ("oracle://sys@h/s", "SYS is an account of the server's own"),
        ("oracle://%22SYSTEM%22@h/s", "such as dbdyno"),
        ("oracle://a%20b@h/s", "the user 'a b' cannot be"),
        ("oracle://app%5Bscott%5D@h/s", "cannot be"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
}

proptest! {
    /// No text makes the parser panic, and what it accepts names nodes whose descriptors the driver understands.
    #[test]
    fn any_text_is_understood_or_refused(text in "[a-z0-9:/@,?&=%\\[\\].()]{0,40}") {
        if let Ok(options) = parse(&format!("oracle://{text}")) {
            prop_assert!(!options.places.is_empty() && !options.user.is_empty());
            for place in &options.places {
                let understood = oracledb::Config::default().set_connect_string(place.descriptor());
                prop_assert!(understood.is_ok(), "{}", place.descriptor());
            }
        }
    }

    /// A descriptor as typed makes nothing stop short.
    #[test]
    fn any_descriptor_is_understood_or_refused(text in "\\((DESCRIPTION|ADDRESS|HOST|PORT|SID|CONNECT_DATA|[()=\" a-z0-9äRETRY_DELAY]){0,12}") {
        _ = parse(&format!("oracle://u@?descriptor={}", text.replace('%', "%25").replace('&', "%26")));
    }
}
