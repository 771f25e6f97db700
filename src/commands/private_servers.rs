//! What `dbdyno up` and `dbdyno down` share: which engines have private servers, and how their errors end a command.
//! And what both say without an engine: which servers can be started on this machine, which run, and what to type.

use super::context::Context;
use crate::error::Error;
use crate::output::{self, Format};
use dbdyno::ENGINES;
use dbdyno_engine::private::{self, HeldBy, Home, Instance, Private, Standing, Which};
use dbdyno_engine::servers::{Found, Product, ServerError};
use dbdyno_report::lists;
use serde::Serialize;
use std::path::PathBuf;

/// The product of an engine's private servers.
///
/// # Errors
/// There is no such engine, or dbdyno cannot start a server of it.
pub(super) fn product(engine: &str) -> Result<&'static dyn Product, Error> {
    let info = ENGINES.engine(engine)?;
    let known = || ENGINES.with_private_servers().map(|(engine, _)| engine.name).collect::<Vec<_>>();
    match info.private {
        Some(private) => Ok(private.product),
        None => Err(Error::Usage(format!(
            "dbdyno starts no server for {engine} (its target: {}); it starts servers of: {}",
            info.target,
            known().join(", ")
        ))),
    }
}

/// How an error of a private server ends the command.
pub(super) fn failed(doing: &'static str, which: &Which) -> impl Fn(ServerError) -> Error + use<> {
    let target = which.target();
    move |error| match error {
        ServerError::Refused(text) => Error::Usage(text),
        ServerError::Failed(source) => Error::Engine { doing, target: target.clone(), source },
    }
}

/// The command that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    Up,
    Down,
}

/// How things stand with an engine's private server.
#[derive(Debug, Clone, Serialize)]
struct ServerItem {
    engine: &'static str,
    /// Its name, where it has one.
    name: Option<String>,
    state: State,
    /// The version of the programs that a start would take.
    version: Option<String>,
    /// Their folder.
    programs: Option<PathBuf>,
    /// Why there are none.
    missing: Option<String>,
    /// The size class of the data that is there.
    size: Option<String>,
    /// The processors that the server is held to, where it runs and is held to some.
    cpus: Vec<u32>,
    /// What holds it to them.
    held_by: Option<HeldBy>,
    /// What to type; absent where nothing can be done.
    command: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// Its server runs.
    Running,
    /// Its data is there, and no server runs.
    Stopped,
    /// There is nothing of it.
    None,
}

/// Shows the servers.
///
/// # Errors
/// The folder of private servers cannot be looked at.
pub(super) fn show(asking: Asking, format: Format, context: &Context) -> Result<(), Error> {
    let own = ENGINES.with_private_servers().map(|(engine, private)| items(asking, engine.name, private));
    let items = own.collect::<Result<Vec<_>, _>>()?.concat();
    format.show(&items, || page(asking, &items))?;
    let possible = items.iter().filter(|_| asking == Asking::Up);
    let possible = possible.filter_map(|item| Some((item.state == State::Running, item.command.as_ref()?)));
    if let Some((runs, command)) = possible.min_by_key(|(runs, _)| !*runs) {
        context.say_next(command, if runs { "measures what runs" } else { "starts a server" });
    }
    Ok(())
}

/// The server of an engine without a name, and those with names that there are.
fn items(asking: Asking, engine: &'static str, of: Private) -> Result<Vec<ServerItem>, Error> {
    let failed = failed("looking at", &Which::of(engine));
    let home = Home::from_environment().map_err(&failed)?;
    let mut items = vec![item(asking, (engine, None), of, &home)?];
    for name in home.names() {
        let home = home.named(Some(&name)).map_err(&failed)?;
        let item = item(asking, (engine, Some(name)), of, &home)?;
        items.extend(Some(item).filter(|item| item.state != State::None));
    }
    Ok(items)
}

fn item(
    asking: Asking,
    (engine, name): (&'static str, Option<String>),
    of: Private,
    home: &Home,
) -> Result<ServerItem, Error> {
    let which = Which { engine: engine.to_owned(), name };
    let failed = failed("looking at", &which);
    let named = of.product.about().programs.named();
    let standing = Standing::look(home, of.product, named.as_deref()).map_err(&failed)?;
    let state = match (standing.runs(), standing.is_kept()) {
        (true, _) => State::Running,
        (false, true) => State::Stopped,
        (false, false) => State::None,
    };
    let (found, missing) = match standing.programs {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let known = standing.instance.filter(|_| state != State::None);
    let running = known.as_ref().filter(|_| state == State::Running);
    let (cpus, held_by) = running.map(|instance| (instance.cpus.clone(), instance.held_by)).unwrap_or_default();
    let size = known.map(|instance: Instance| instance.size);
    // Nothing starts without programs.
    let can = found.is_some() || state == State::Running || asking == Asking::Down;
    let command = command(asking, &which, state, size.as_deref()).filter(|_| can);
    let (version, programs) = found.map(|Found { version, folder }| (version, folder)).unzip();
    Ok(ServerItem { engine, name: which.name, state, version, programs, missing, size, cpus, held_by, command })
}

/// What to type; nothing where there is nothing to do.
fn command(asking: Asking, which: &Which, state: State, size: Option<&str>) -> Option<String> {
    let arguments = which.arguments();
    Some(match (asking, state) {
        (Asking::Up, State::Running) => format!("dbdyno run quick --target {}", which.target()),
        (Asking::Up, State::None) => format!("dbdyno up {arguments}"),
        (Asking::Up, State::Stopped) => {
            format!("dbdyno up {arguments} --size {}", output::shell_word(size.unwrap_or("D")))
        }
        (Asking::Down, State::Running) => format!("dbdyno down {arguments}"),
        (Asking::Down, State::Stopped) => format!("dbdyno down {arguments} --keep=false"),
        (Asking::Down, State::None) => return None,
    })
}

fn page(asking: Asking, items: &[ServerItem]) -> String {
    let state = |item: &ServerItem| match (item.state, &item.size) {
        (State::Running, Some(size)) => {
            let cpus = private::cpus_in_words(&item.cpus);
            let held = item.held_by.map(|by| format!(", cpus {cpus} by {}", by.word()));
            format!("runs, size {size}{}", held.unwrap_or_default())
        }
        (State::Stopped, Some(size)) => format!("stopped, data of size {size}"),
        _ => "none".to_owned(),
    };
    let row = |item: &ServerItem| {
        let programs = match (&item.version, &item.programs, &item.missing) {
            (Some(version), Some(folder), _) => format!("{version} in {}", folder.display()),
            (_, _, Some(why)) => why.clone(),
            _ => String::new(),
        };
        let which = Which { engine: item.engine.to_owned(), name: item.name.clone() };
        vec![which.to_string(), state(item), item.command.clone().unwrap_or_default(), programs]
    };
    let rows: Vec<Vec<String>> = items.iter().map(row).collect();
    let mut page = lists::table(&["engine", "private server", "command", "programs"], &rows, output::width());
    if asking == Asking::Down && items.iter().all(|item| item.state == State::None) {
        page.push_str("\nThere is nothing to stop.\n");
    }
    page
}
