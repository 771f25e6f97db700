use super::*;

#[test]
fn the_files_of_the_dialect_can_be_read() {
    assert!(DIALECT.faults().is_empty(), "{:?}", DIALECT.faults());
}

#[test]
fn numbers_have_classes() {
    for (codes, class) in [
        (&[28, 1012, 1033, 1034, 1089, 3113, 3114, 3135, 12537, 12541, 12545, 12528][..], ErrorClass::ConnectionLost),
        (&[1005, 1017, 28000, 28001, 28040], ErrorClass::Authentication),
        (&[1031, 1045, 1950, 16000, 47401], ErrorClass::Permission),
        (&[60, 8177, 4020], ErrorClass::Conflict),
        (&[1013], ErrorClass::Cancelled),
        (&[54, 4021, 12170, 30006, 2394], ErrorClass::Timeout),
        (&[257, 1536, 1652, 1653, 1654, 12953, 12954, 19809, 30036], ErrorClass::OutOfSpace),
        (&[904, 942, 4043, 12154, 12505, 12514], ErrorClass::UnknownObject),
        (&[1578, 8102], ErrorClass::Corruption),
        (&[439, 64307], ErrorClass::Unsupported),
        (&[1, 18, 20, 600, 1400, 12519, 20001], ErrorClass::Other),
    ] {
        for code in codes {
            assert_eq!(class_of(*code), class, "ORA-{code:05}");
        }
    }
}

#[test]
fn the_number_that_tells_most_decides() {
    let worker = "ORA-12801: error signaled in parallel query server P003\nORA-01652: unable to extend temp segment by 128 \
                  in tablespace TEMP";
    let (class, said) = of_server(12801, worker);
    assert_eq!(class, ErrorClass::OutOfSpace);
    assert!(said.contains("P003 / ORA-01652") && said.ends_with("temporary tablespace, or use fewer jobs"), "{said}");
    let block =
        "ORA-06550: line 1, column 7:\nPLS-00201: identifier 'DBDYNO_WORK.X' must be declared\nORA-06550: line 1";
    assert_eq!(of_server(6550, block).0, ErrorClass::UnknownObject);
    let line = "ORA-00060: deadlock detected while waiting for resource\nORA-06512: at \"DBDYNO.DBDYNO_WORK\", line 9";
    assert_eq!(of_server(60, line).0, ErrorClass::Conflict);
    let trigger = "ORA-00604: error occurred at recursive SQL level 1\nORA-20001: no";
    assert_eq!(of_server(604, trigger), (ErrorClass::Other, trigger.replace('\n', " / ")));
    let new = "ORA-00942: table or view \"DBDYNO\".\"T\" does not exist\nHelp: https://docs.oracle.com/error-help/db/ora-00942/";
    let (class, said) = of_server(942, new);
    assert_eq!(class, ErrorClass::UnknownObject);
    assert!(!said.contains("Help:") && said.contains("may not see it"), "{said}");
}

#[test]
fn what_the_compiler_says_is_an_error() {
    assert_eq!(of_compiler("making", "X", &[]), Ok(()));
    let row = |texts: [&str; 3]| texts.map(|text| Some(text.to_owned())).to_vec();
    let rows = [
        row(["3", "9", "PL/SQL: ORA-00942: table or view does\n not exist"]),
        row(["3", "2", "PL/SQL: SQL Statement ignored"]),
    ];
    let error = of_compiler("making", "X", &rows).unwrap_err();
    assert_eq!(error.class, ErrorClass::UnknownObject);
    assert!(
        error
            .message
            .starts_with("making: X does not compile: line 3, column 9: PL/SQL: ORA-00942: table or view does not")
    );
    let rows = [row(["1", "1", "PLS-00103: Encountered the symbol"])];
    assert_eq!(of_compiler("making", "X", &rows).unwrap_err().class, ErrorClass::Other);
}

#[test]
fn a_create_that_does_not_compile_is_known() {
    let said = EngineError::new(ErrorClass::Other, "making: ORA-24344: success with compilation error");
    assert!(is_compiled_with_errors(&said));
}
