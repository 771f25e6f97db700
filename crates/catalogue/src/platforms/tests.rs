use super::*;
use dbdyno_model::{Dop, FigureKind, MetricId, Point, SuspectCode, UsableFor};

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

fn at<'a>(run: &'a RunJson, test: &str, jobs: u32) -> &'a Point {
    run.points.iter().find(|p| p.subject.as_str() == test && p.dop == Dop { jobs, ..Dop::ONE }).unwrap()
}

#[test]
fn every_platform_is_readable_and_names_its_source() {
    let catalogue = catalogue();
    let ids: Vec<&str> = catalogue.platform_ids().collect();
    assert_eq!(ids.len(), 15);
    let (mut points, mut figures, mut curve_points) = (0, 0, 0);
    for id in ids {
        let run = catalogue.platform(id).unwrap();
        let published = run.published.as_ref().unwrap();
        assert!(!published.source.is_empty() && published.year.is_some(), "{id}");
        points += run.points.len();
        figures += published.figures.len();
        curve_points += published.curves.iter().filter(|c| c.primary.is_some()).map(|c| c.points.len()).sum::<usize>();
        let back: RunJson = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
        assert_eq!(back, run, "{id}");
    }
    // From the list of files: 119 + 38 points; 7 x 65 values, 35 of the DL980's summary, 6; 4 + 4 x 3 + 12.
    assert_eq!((points, figures, curve_points), (157, 7 * 65 + 35 + 6, 28));
}

#[test]
fn units_are_converted_once_and_doubts_kept() {
    let catalogue = catalogue();
    let ucp = catalogue.platform("hds_ucp_flash_2013").unwrap();
    let insert = at(&ucp, "DBL-11", 64);
    assert_eq!(insert.redo.write_service_time_s.map(|s| (s * 1e6).round()), Some(353.0));
    let doubt = insert.suspect(&MetricId::from("redo_write_service_time_s")).unwrap();
    assert_eq!((doubt.codes.as_slice(), doubt.usable_for()), (&[SuspectCode::Unit][..], UsableFor::Value));
    assert_eq!(insert.redo.sync_writes, Some(70.0));
    assert_eq!(at(&ucp, "DBL-21", 1).tx_per_s, None);
    assert_eq!(at(&ucp, "DBX-12", 128).io.read_mib_per_s, Some(1_542.0));

    let violin = catalogue.platform("hp_dl980_violin_2012").unwrap();
    let cold = at(&violin, "T611", 1);
    assert_eq!(cold.tx_per_s, Some(11_650.0));
    assert_eq!(cold.suspect(&MetricId::from("tx_per_s")).unwrap().usable_for(), UsableFor::NotForComparison);
    assert!(at(&violin, "T611", 2).suspects.is_empty());
    assert_eq!((at(&violin, "T141", 1).rows_per_s, at(&violin, "T141", 1).io.read_iops), (None, Some(2.0)));
    assert_eq!(violin.costs.as_ref().and_then(|c| c.total_usd()), Some(1_465_000.0));
    let product = violin.database.facts["product"].to_lowercase();
    assert!(!violin.database.engine.is_empty() && product.starts_with(&violin.database.engine), "{product}");

    let ibm = catalogue.platform("ibm_p8_e870_2016").unwrap();
    let loop_speed = &ibm.published.as_ref().unwrap().figures[0];
    assert_eq!(
        (loop_speed.kind, loop_speed.value, loop_speed.printed.value),
        (FigureKind::Speed, 10_204_000.0, 10_204.0)
    );
    assert_eq!(ibm.costs.unwrap().licences_per_core, Some(1.0));
}

/// The error message about a platform file with this text.
fn message(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("platforms")).unwrap();
    std::fs::write(folder.path().join("platforms/mine.toml"), text).unwrap();
    let catalogue = Catalogue::with_overrides(folder.path()).unwrap();
    catalogue.platform("mine").map(|_| String::new()).unwrap_or_else(|e| e.to_string())
}

#[test]
fn an_unreadable_file_is_named_with_line_and_key() {
    let head = "[platform]\nid = \"mine\"\nname = \"Mine\"\n";
    let series = format!("{head}[[series]]\ntest = \"T611\"\ntitle = \"t\"\npoints = [\n");
    assert_eq!(message(&format!("{series}  {{ jobs = 1, rows_per_s = 2.5 }},\n]\n")), "");
    for (text, parts) in [
        (format!("{head}cors = 4\n"), ["platforms/mine.toml", "unknown key 'cors'; did you mean 'cores'?", "line 4"]),
        (format!("{head}cores = \"four\"\n"), ["[platform]", "key 'cores'", "line 4"]),
        ("[platform]\nid = \"other\"\nname = \"x\"\n".to_owned(), ["[platform]", "it must be 'mine'", "line 1"]),
        (format!("{head}x = [\n"), ["mine.toml", "key 'x'", "line 4"]),
        (format!("{series}  {{ jobs = 1, row_per_s = 2.5 }},\n]\n"), ["[[series]] T611", "'rows_per_s'", "line 8"]),
        (format!("{series}  {{ jobs = 1, rows_per_s = \"2\" }},\n]\n"), ["T611", "must be a number", "line 8"]),
        (format!("{series}  {{ jobs = 1 }}, {{ job = 2 }},\n]\n"), ["T611", "point 2 lacks the key 'jobs'", "line 4"]),
        (format!("{series}  {{ jobs = 0 }},\n]\n"), ["'jobs'", "no degree of parallelism", "line 8"]),
        (
            format!("{series}  {{ jobs = 1, rows_per_s = 1, suspect = \"w\", suspect_keys = [\"rows_per_s\"] }},\n]\n"),
            ["T611", "'rows_per_s' is no `key:code`", "line 8"],
        ),
        (
            format!(
                "{head}[[kpi]]\ntest = \"T611\"\ntitle = \"t\"\nmetric = \"rate\"\nunit = \"furlongs\"\nspeed = 1\n"
            ),
            ["[[kpi]] T611", "unknown unit 'furlongs'", "line 4"],
        ),
        (format!("{head}[[kpis]]\ntest = \"T611\"\n"), ["head", "unknown key 'kpis'", "mine.toml"]),
        ("name = \"x\"\n".to_owned(), ["mine.toml", "head", "there is no [platform]"]),
    ] {
        let said = message(&text);
        assert!(parts.iter().all(|part| said.contains(part)), "{said}\n{text}");
    }
}

#[test]
fn a_file_of_the_user_adds_a_platform_or_describes_that_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("platforms")).unwrap();
    let text = "[platform]\nid = \"mine\"\nname = \"Mine\"\nruns = [\"before\"]\nlist_price_server_usd = 9000\n\
                 family = \"bare metal\"\n\
                storage = \"an array\"\n[platform.config]\narchiving = true\n[[series]]\ntest = \"T611\"\ntitle = \"t\"\n\
                points = [{ jobs = 1, rows_per_s = 2.5 }]\n";
    std::fs::write(folder.path().join("platforms/mine.toml"), text).unwrap();
    let catalogue = Catalogue::with_overrides(folder.path()).unwrap();
    assert_eq!(catalogue.platform_ids().count(), 16);
    let described = catalogue.description_of_label("before").unwrap().unwrap();
    assert_eq!(described.costs().and_then(|c| c.total_usd()), Some(9_000.0));
    assert_eq!(described.platform["storage"].to_string(), "an array");
    assert_eq!(described.platform["family"].to_string(), "bare metal");
    assert_eq!(described.settings["archiving"], "yes");
    assert_eq!((described.file.as_str(), described.at), ("mine.toml", None));
    assert_eq!(catalogue.description_of_label("after").unwrap(), None);
    assert!(matches!(
        catalogue.platform("min"),
        Err(CatalogueError::Unknown { kind: "platform", nearest, .. }) if nearest == ["mine"]
    ));
}
