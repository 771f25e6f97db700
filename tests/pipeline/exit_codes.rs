//! How the comparison of revisions ends, by a dbdyno that ends as it is told.

use crate::ROOT;
use crate::place::{Ended, Place, Variables};

/// Writes down how it was called, and ends with the code of its command: `CODE_RUN`, `CODE_COMPARE`.
const STUB: &str = r#"#!/bin/bash
case $1 in
    run)
        if [[ ${SLOW:-} ]]; then trap 'echo stopped >>"$CALLS"; exit 3' TERM; echo >started; sleep 60 & wait $!; fi
        printf '%s %s %s %s\n' "$DBDYNO_SIDE" "$PWD" "$FROM_SETUP" "$*" >>"$CALLS"; exit "${CODE_RUN:-0}" ;;
    load) printf '%s load %s\n' "$DBDYNO_SIDE" "$*" >>"$CALLS"; exit "${CODE_LOAD:-0}" ;;
    up | down) printf '%s %s\n' "$(basename "$DBDYNO_HOME")" "$*" >>"$CALLS"; mkdir -p "$DBDYNO_HOME/$2" ;;
    compare)
        [[ $* != *--junit* ]] || echo xml >junit.xml
        printf '{\n  "judged": %s,\n  "not_judged": 0\n}\n' "${JUDGED:-2}"
        exit "${CODE_COMPARE:-0}" ;;
    report) echo page >report.html ;;
esac
"#;

fn variables(place: &Place, own: &[(&str, &str)]) -> Variables {
    let programs = place.program("dbdyno", STUB).display().to_string();
    let mut variables = Variables::from([
        ("PATH".to_owned(), format!("{programs}:{}", std::env::var("PATH").unwrap())),
        ("CALLS".to_owned(), place.path("calls.txt").display().to_string()),
        ("DBDYNO_TARGET".to_owned(), "null:".to_owned()),
    ]);
    variables.extend(own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    variables
}

fn compare(place: &Place, own: &[(&str, &str)]) -> Ended {
    place.bash(&[], &format!("exec bash '{ROOT}/pipeline/compare_revisions'"), &variables(place, own))
}

#[test]
fn sides_take_turns_and_the_order_turns_around() {
    let place = Place::new();
    for folder in ["old", "new"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    let setup =
        "export FROM_SETUP=$DBDYNO_SIDE-$DBDYNO_SIZE\n[[ $PWD == */old ]] || export DBDYNO_TARGET=null:?speed=2";
    let own = [
        ("DBDYNO_TESTS", "T611 T6*"),
        ("DBDYNO_OPTIONS", "--jobs 1\n--duration 1s"),
        ("DBDYNO_SIZE", "T"),
        ("DBDYNO_SETUP", setup),
        ("DBDYNO_BASE_FOLDER", "old"),
        ("DBDYNO_CHANGED_FOLDER", "new"),
    ];
    compare(&place, &own).expect(0);
    let calls = place.text("calls.txt");
    let runs: Vec<&str> = calls.lines().filter(|call| call.contains(" run ")).collect();
    let of = |side: &str, folder: &str, target: &str| {
        let folder = place.path(folder).canonicalize().unwrap();
        format!(
            "{side} {} {side}-T run --target {target} --label {side} --quiet T611 T6* --jobs 1 --duration 1s",
            folder.display()
        )
    };
    let (base, changed) = (of("base", "old", "null:"), of("changed", "new", "null:?speed=2"));
    assert_eq!(runs, [&base, &changed, &changed, &base, &base, &changed], "{calls}");
    let loads: Vec<&str> = calls.lines().filter(|call| call.contains(" load ")).collect();
    assert_eq!(
        loads[..2],
        ["base load load --target null: --size T --quiet", "changed load load --target null:?speed=2 --size T --quiet"]
    );
    for file in ["summary.md", "compare.json", "junit.xml", "report.html", "base-3.txt"] {
        assert!(place.path("dbdyno-comparison").join(file).is_file(), "{file}");
    }
}

#[test]
fn a_private_instance_belongs_to_its_side_and_is_removed() {
    let place = Place::new();
    let own = [("DBDYNO_TARGET", "private:postgres"), ("DBDYNO_SIZE", "none")];
    compare(&place, &own).expect(0);
    let calls = place.text("calls.txt");
    assert!(!calls.contains(" load "), "{calls}");
    for side in ["base", "changed"] {
        let of_side: Vec<&str> =
            calls.lines().filter(|call| call.starts_with(side) && !call.contains(" run ")).collect();
        let round = [format!("{side} up postgres --quiet"), format!("{side} down postgres --keep --quiet")];
        let end = format!("{side} down postgres --keep=false --quiet");
        let expected: Vec<&str> = round.iter().cycle().take(6).chain([&end]).map(String::as_str).collect();
        assert_eq!(of_side, expected);
    }
}

#[test]
fn exit_codes_tell_a_loss_from_an_error() {
    for (own, code, said) in [
        (&[("CODE_COMPARE", "1")][..], 1, ""),
        (&[("CODE_COMPARE", "1"), ("CODE_RUN", "4")], 1, ""),
        (&[("CODE_RUN", "4")], 4, "points failed or are invalid"),
        (&[("JUDGED", "0")], 4, "no figure could be judged"),
        (&[("CODE_COMPARE", "2")], 2, ""),
        (&[("CODE_RUN", "2")], 2, "run 1 of base ended with 2"),
        (&[("CODE_RUN", "3")], 3, "run 1 of base ended with 3"),
        (&[("CODE_LOAD", "3")], 3, "run 1 of base ended with 3"),
        // Whatever a set-up ends with, it is no loss.
        (&[("DBDYNO_SETUP", "false; true")], 2, "the set-up of base failed"),
        (&[("DBDYNO_SETUP", "exit 0")], 2, "the set-up of base failed"),
        (&[("DBDYNO_SETUP", "exit 4")], 2, "the set-up of base failed"),
        (&[("DBDYNO_SETUP", "if then")], 2, "the set-up of base failed"),
        (&[("DBDYNO_CHANGED_SETUP", "echo $no_such_variable")], 2, "the set-up of changed failed"),
        // Its variables are not the script's.
        (&[("DBDYNO_SETUP", "size=x; tests=x; code=1; side=x; round=9; set +eu; trap 'exit 1' ERR")], 0, ""),
        (&[("DBDYNO_SETUP", "set -- changed 9; IFS=,")], 0, ""),
        (&[("DBDYNO_SETUP", "asked[output]=/")], 2, "the set-up of base failed"),
        (&[("DBDYNO_TARGET", "")], 2, "base has no target"),
        (&[("DBDYNO_SETUP", "unset DBDYNO_TARGET")], 2, "base has no target"),
        (&[("CDPATH", "/")], 0, ""),
        (&[("DBDYNO_RUNS", "2")], 2, "DBDYNO_RUNS is '2'"),
        (&[("DBDYNO_RUNS", "x")], 2, "DBDYNO_RUNS is 'x'"),
        (&[("DBDYNO_MAX_REGRESSION", "much")], 2, "DBDYNO_MAX_REGRESSION is 'much'"),
        (&[("DBDYNO_MAX_REGRESSION", "100%")], 2, "DBDYNO_MAX_REGRESSION is '100%'"),
        (&[("DBDYNO_CHANGED_FOLDER", "nowhere")], 2, "the folder of changed is not there: nowhere"),
        (&[("TMPDIR", "/nowhere")], 2, "no folder can be made in /nowhere"),
        (&[("PATH", "/usr/bin:/bin")], 2, "there is no dbdyno in PATH"),
    ] {
        let place = Place::new();
        let ended = compare(&place, own).expect(code);
        assert!(ended.stderr.contains(said), "{own:?}: {}", ended.stderr);
    }
}

#[test]
fn runs_of_another_comparison_are_not_mixed_in() {
    let place = Place::new();
    for file in ["results.db", "summary.md", "report.html", "changed-2.txt"] {
        let file = format!("dbdyno-comparison/{file}");
        place.write(&file, "mine");
        let ended = compare(&place, &[]).expect(2);
        assert!(ended.stderr.contains("is of another comparison, or yours"), "{}", ended.stderr);
        assert_eq!(place.text(&file), "mine");
        std::fs::remove_file(place.path(&file)).unwrap();
    }
    compare(&place, &[("DBDYNO_OUTPUT", "elsewhere/new")]).expect(0);
}

/// A disk that is full must not look like a loss.
#[test]
fn what_cannot_be_written_is_an_error() {
    for file in ["base-1.txt", "summary.md"] {
        let setup = format!("mkdir -p dbdyno-comparison/{file}");
        compare(&Place::new(), &[("DBDYNO_SETUP", &setup)]).expect(3);
    }
}

/// Whoever stops the script stops the run as well, and nothing is left behind.
#[test]
fn a_script_that_is_stopped_stops_its_run() {
    let place = Place::new();
    std::fs::create_dir(place.path("temporary")).unwrap();
    let script = format!(
        "bash '{ROOT}/pipeline/compare_revisions' & script=$!
         until [[ -e started ]]; do sleep 0.05; done
         kill -TERM $script
         wait $script"
    );
    let temporary = place.path("temporary").display().to_string();
    let own = [("SLOW", "yes"), ("TMPDIR", &temporary), ("DBDYNO_TARGET", "private:postgres")];
    let ended = place.bash(&[], &script, &variables(&place, &own)).expect(3);
    assert!(ended.stderr.contains("stopped"), "{}", ended.stderr);
    let calls = place.text("calls.txt");
    assert!(calls.contains("stopped\n") && calls.contains("down postgres --keep=false"), "{calls}");
    assert!(std::fs::read_dir(place.path("temporary")).unwrap().next().is_none());
}
