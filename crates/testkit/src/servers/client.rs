//! The commands that tests run on a server.

use dbdyno_engine::servers::{Account, Login, Place, Product};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The SQL client of a product, run as the server's user, through the socket.
pub fn client(product: &dyn Product, place: &Place, account: &Account, login: Login<'_>) -> Command {
    let (program, arguments) = product.client(place, login);
    let programs = product.about().programs;
    let found = programs.find(&place.programs, program);
    let mut client = account.command(&found.unwrap_or_else(|| panic!("no {program}: install {}", programs.install)));
    client.args(arguments);
    client
}

/// Runs a client on SQL, as a file piped into it; returns the output.
pub fn run_with(client: &mut Command, sql: &str) -> String {
    let script = tempfile::NamedTempFile::new().unwrap();
    fs::write(script.path(), sql).unwrap();
    run(client.stdin(fs::File::open(script.path()).unwrap())).trim_end().to_owned()
}

/// Runs a command that must succeed; returns the output.
pub(super) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap()
}

/// Copies the content of a folder into another, with owners and holes in files.
pub(super) fn copy(from: &Path, into: &Path) {
    fs::create_dir_all(into).unwrap();
    run(Command::new("cp").arg("-a").arg(from.join(".")).arg(into));
}
