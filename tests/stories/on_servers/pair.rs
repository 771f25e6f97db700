//! Pairs with a server: it rests while the other side is measured, and is seen when it does not.

use super::private::Private;
use super::stories;
use crate::home::Home;
use crate::support::{number, points, text};
use rustix::process::Signal;
use std::process::{Command, Stdio};

stories!(a_server_rests_while_the_other_side_is_measured);

fn a_server_rests_while_the_other_side_is_measured<S: Private>() {
    let home = Home::new(S::ENGINE);
    let up = home.up("--size T");
    let line = "pair T611 --a sqlite:x.sqlite --b private:ENGINE --ramp 1 --duration 600ms --pairs 8 --json";
    let document = home.run(line).expect(0).json();
    assert_eq!(number(&document, "/pairs/0/pairs"), 8.0, "{document:#}");

    // Somebody makes it work.
    home.inside(&up, "CREATE SCHEMA mine");
    home.inside(&up, "CREATE TABLE mine.notes (n int)");
    let writes = "INSERT INTO mine.notes SELECT 1 FROM dbdyno.small_heap";
    let arguments = if S::ENGINE == "postgres" { "--command" } else { "--execute" };
    let shell = format!("while {} {arguments} '{writes}' >&2; do :; done", text(&up, "/shell_command"));
    let mut writer =
        Command::new("sh").args(["-c", &shell]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let disturbed = home.room.start(&format!("{line} --label-a disturbed").replace("ENGINE", S::ENGINE));
    disturbed.until("did not rest");
    disturbed.signal(Signal::INT);
    disturbed.end().expect(3);
    writer.kill().unwrap();
    writer.wait().unwrap();
    let of_a = home.room.show("disturbed");
    let point = points(&of_a).iter().find(|point| point["reason"].is_string()).unwrap();
    assert!(text(point, "/reason").starts_with("the other side's server did not rest"), "{of_a:#}");
    assert_eq!(text(point, "/status"), "invalid");
}
