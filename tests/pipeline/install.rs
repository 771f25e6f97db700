//! Installing: a release with its checksum, or a build.

use crate::ROOT;
use crate::place::{Ended, Place, VERSION, Variables};

fn install(place: &Place, own: &[(&str, &str)]) -> Ended {
    let mut variables = Variables::from([("RUNNER_TEMP".to_owned(), place.path("").display().to_string())]);
    variables.extend(own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    place.bash(&[], &format!("exec bash '{ROOT}/pipeline/install'"), &variables)
}

/// What the program in the folder that was printed says.
fn says(place: &Place, installed: &Ended) -> String {
    let script = format!("'{}/dbdyno' --version", installed.stdout.trim_end());
    place.bash(&[], &script, &Variables::new()).expect(0).stdout
}

#[test]
fn a_release_is_taken_with_its_checksum_alone() {
    let place = Place::new();
    let releases = place.release("#!/bin/sh\necho the release\n");
    let own = [("DBDYNO_VERSION", VERSION), ("DBDYNO_RELEASES", releases.as_str())];
    assert_eq!(says(&place, &install(&place, &own).expect(0)), "the release\n");
    let sums = place.text(&format!("releases/v{VERSION}/SHA256SUMS"));
    let right = sums.split_once(' ').unwrap().0.to_owned();
    install(&place, &[own[0], own[1], ("DBDYNO_SHA256", &right)]).expect(0);
    let wrong = right.replace(['0', '1', '2', '3'], "f");
    let refused = install(&place, &[own[0], own[1], ("DBDYNO_SHA256", &wrong)]).expect(2);
    assert!(refused.stdout.is_empty() && refused.stderr.contains("is not what its checksum says"), "{refused:?}");
    // The list of checksums may have more files, but must have this one.
    let list = format!("releases/v{VERSION}/SHA256SUMS");
    place.write(&list, &format!("{wrong}  other.tar.gz\n{sums}"));
    install(&place, &own).expect(0);
    for text in [format!("{wrong}  dbdyno-{VERSION}-linux-x86_64.tar.gz\n"), format!("{right}  other\n"), String::new()]
    {
        place.write(&list, &text);
        assert!(install(&place, &own).expect(2).stdout.is_empty(), "{text}");
    }
}

#[test]
fn what_is_no_release_is_refused() {
    let place = Place::new();
    let releases = place.release("#!/bin/sh\n");
    for (version, releases, said) in [
        ("../../0.1.0", releases.as_str(), "is no release"),
        ("latest", &releases, "is no release"),
        ("9.9.9", &releases, "cannot fetch"),
        (VERSION, "http://127.0.0.1:9/releases", "cannot fetch"),
        (VERSION, "", "where the releases are is not known"),
    ] {
        let refused = install(&place, &[("DBDYNO_VERSION", version), ("DBDYNO_RELEASES", releases)]).expect(2);
        assert!(refused.stdout.is_empty() && refused.stderr.contains(said), "{version}: {refused:?}");
    }
    place.write(&format!("dbdyno-{VERSION}-linux-x86_64/dbdyno"), "");
    let script = format!(
        "cd releases/v{VERSION} && tar --create --gzip --file dbdyno-{VERSION}-linux-x86_64.tar.gz SHA256SUMS
         sha256sum dbdyno-*.tar.gz >SHA256SUMS"
    );
    place.bash(&["-e"], &script, &Variables::new()).expect(0);
    let empty = install(&place, &[("DBDYNO_VERSION", VERSION), ("DBDYNO_RELEASES", &releases)]).expect(2);
    assert!(empty.stderr.contains("has no program dbdyno in it"), "{}", empty.stderr);
}

/// A build of dbdyno takes minutes, so cargo is one that writes down how it was called.
#[test]
fn a_build_is_of_the_checkout_that_the_script_is_part_of() {
    let place = Place::new();
    let cargo = "#!/bin/bash
echo \"cargo $*\" >&2
root=${!#}
mkdir -p \"$root/bin\" && printf '#!/bin/sh\\necho built\\n' >\"$root/bin/dbdyno\" && chmod +x \"$root/bin/dbdyno\"
";
    let programs = place.program("cargo", cargo);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let folder = place.path("installed").display().to_string();
    for version in ["build", ""] {
        let built =
            install(&place, &[("PATH", &path), ("DBDYNO_VERSION", version), ("DBDYNO_INSTALL", &folder)]).expect(0);
        let expected = format!("cargo install --path {ROOT} --locked --profile dist --root {folder}\n");
        assert_eq!((built.stderr.as_str(), says(&place, &built).as_str()), (expected.as_str(), "built\n"));
    }
}
