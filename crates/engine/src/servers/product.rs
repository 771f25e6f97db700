//! What is an engine's own about its servers. Everything else (folders, users, processes) is the same for all.

use super::{Access, DataFolder, Login, Place, Programs, Replication, Setting};
use dbdyno_model::Size;
use rustix::process::Signal;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// A database server that dbdyno can set up by itself.
pub trait Product: Sync {
    /// What is the same of all its servers.
    fn about(&self) -> &'static About;
    /// The version in what the server answers to `--version`.
    fn version(&self, said: &str) -> Option<String>;
    /// Why a version is too old, if it is.
    fn too_old(&self, version: &str) -> Option<String>;
    /// The part of a version that must not change between starts with the same data.
    fn series(&self, version: &str) -> String;
    /// The series that made a data folder, where it tells.
    fn data_series(&self, data: &DataFolder) -> Option<String>;
    /// The administrator of a server, and a database that it has from the beginning.
    fn administrator(&self, access: Access) -> Login<'static>;
    /// What makes a data folder in an empty one, in order, with further arguments for the program that does most of it.
    fn making(&self, place: &Place, further: &[String]) -> Vec<Step>;
    /// What is left to do to a new data folder before it counts as whole.
    ///
    /// # Errors
    /// A file cannot be written.
    fn finish(&self, _: &DataFolder) -> io::Result<()> {
        Ok(())
    }
    /// The settings of a size class, as the file's text.
    fn settings(&self, sizing: &Sizing<'_>) -> String;
    /// These settings as the file's text. The value of one that has none is empty.
    fn settings_of(&self, settings: &[Setting]) -> String;
    /// What makes a server listen in its place.
    fn reach(&self, place: &Place) -> Vec<Setting>;
    /// What makes it take TLS, with a certificate and a key in these files.
    fn tls(&self, certificate: &Path, key: &Path) -> Vec<Setting>;
    /// The arguments of the server.
    fn arguments(&self, place: &Place) -> Vec<OsString>;
    /// The main process that the server itself has noted in its data folder.
    fn noted_pid(&self, data: &DataFolder) -> Option<u32> {
        data.read(self.about().pid_file).ok()?.lines().next()?.trim().parse().ok()
    }
    /// Removes the note of a main process that is known to have ended, so that a reused process id cannot be mistaken.
    ///
    /// # Errors
    /// It cannot be removed.
    fn forget_pid(&self, data: &DataFolder) -> io::Result<()> {
        data.remove(self.about().pid_file)
    }
    /// Whether the server with this main process can be worked with.
    fn readiness(&self, place: &Place, pid: u32) -> Readiness;
    /// The target of somebody who comes through the socket.
    fn target(&self, place: &Place, login: Login<'_>) -> String;
    /// The SQL client and its arguments, for somebody who comes through the socket: it reads statements, prints values
    /// alone, and ends at the first error. No database is chosen where its name is empty.
    fn client(&self, place: &Place, login: Login<'_>) -> (&'static str, Vec<OsString>);
    /// How a person looks inside.
    fn shell_command(&self, place: &Place) -> String;
    /// How it replicates, where dbdyno can start a standby of it.
    fn replication(&self) -> Option<&'static dyn Replication> {
        None
    }
}

/// What is the same of all servers of a product.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The engine's name.
    pub engine: &'static str,
    /// The programs that it needs.
    pub programs: Programs,
    /// Users that a distribution makes for it, the likeliest first.
    pub users: &'static [&'static str],
    /// The port, where a socket's name is made of it and the place says none.
    pub port: Option<u16>,
    /// The name of the longest file in the socket folder.
    pub socket_name: &'static str,
    /// The file of settings in the data folder, which is written before each start.
    pub settings_file: &'static str,
    /// The file in the data folder in which the server notes its main process, in the first line.
    pub pid_file: &'static str,
    /// The file in the data folder that says line by line who is let in, where that is not said of users alone; the
    /// first line that fits counts.
    pub access_file: Option<&'static str>,
    /// What a server says that cannot start because the system still holds files of one that was killed a moment ago.
    pub still_held: &'static str,
    /// Asks the main process to end in good order, without waiting for clients.
    pub stop_signal: Signal,
    /// Asks it to end at once; its data recovers at the next start.
    pub abort_signal: Signal,
}

/// One program that is run to make a data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it does, for messages: `initialising the data`.
    pub doing: &'static str,
    /// Its name.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// What it reads.
    pub input: Option<&'static str>,
}

/// An argument that ends in a path.
#[must_use]
pub fn with_path(argument: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(argument);
    argument.push(path);
    argument
}

/// What the settings of a size class depend on.
#[derive(Debug, Clone, Copy)]
pub struct Sizing<'a> {
    /// The size class.
    pub size: &'a Size,
    /// The server's version.
    pub version: &'a str,
    /// Where its socket is to be.
    pub socket_folder: &'a Path,
    /// Hardware threads that it can keep busy.
    pub hardware_threads: u32,
    /// The most memory that it may use, page cache included.
    pub memory_limit_bytes: Option<u64>,
}

/// How far a start is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It accepts connections.
    Ready,
    /// Not yet, and why not.
    NotYet(String),
    /// It never will as it is.
    Never(String),
}
