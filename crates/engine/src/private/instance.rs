//! What is known of an instance, kept in a file beside its data. It is written before anything is started, so that
//! whatever a killed dbdyno leaves running can be found again.

use super::home::{InstanceFolder, RECORD};
use crate::servers::{Access, Place, Process, ServerError};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// How far an instance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Its data is being made; the process is the one that makes it.
    Making,
    /// The server has been started and did not accept connections yet.
    Starting,
    /// The server accepted connections.
    Running,
    /// There is data and no server.
    Stopped,
}

/// One engine's private instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The engine.
    pub engine: String,
    /// Version of the server's programs.
    pub version: String,
    /// The size class whose settings it has.
    pub size: String,
    /// The engine's cache.
    pub cache_bytes: u64,
    /// How far it is. Whether the process lives is another matter.
    pub stage: Stage,
    /// The server's main process, or the one that makes the data.
    pub process: Option<Process>,
    /// Its data.
    pub data: PathBuf,
    /// The folder of its socket.
    pub socket_folder: PathBuf,
    /// The port that names the socket, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The user that it runs as.
    pub user: String,
    /// The folder of its programs.
    pub programs: PathBuf,
    /// What it says.
    pub log: PathBuf,
    /// The most memory that it may use, page cache included.
    pub memory_limit_bytes: Option<u64>,
    /// The control group that holds it to this.
    pub cgroup: Option<PathBuf>,
    /// Whether `down` keeps the data unless it is told otherwise.
    pub keep: bool,
}

impl Instance {
    /// Whether its process lives.
    #[must_use]
    pub fn lives(&self) -> bool {
        self.process.as_ref().is_some_and(Process::lives)
    }

    /// The main process's id; 0 for none.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.as_ref().map_or(0, |p| p.pid)
    }

    /// Where its server is.
    #[must_use]
    pub fn place(&self) -> Place {
        Place {
            programs: self.programs.clone(),
            data: self.data.clone(),
            socket_folder: self.socket_folder.clone(),
            tcp_port: None,
            access: Access::Own,
        }
    }

    /// What is recorded, if anything is.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn read(instance_folder: &InstanceFolder) -> Result<Option<Self>, ServerError> {
        let path = instance_folder.record();
        let text = match instance_folder.files().and_then(|files| files.read(RECORD)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let path = path.display();
                return Err(ServerError::Refused(format!(
                    "cannot read {path}, which describes the private instance: {error}; set DBDYNO_HOME to a folder of \
                     your own"
                )));
            }
        };
        serde_json::from_str(&text).map(Some).map_err(|error| {
            ServerError::Refused(format!(
                "{}, which describes the private instance, is damaged ({error}); if no server of it runs any more, remove the folder {}",
                path.display(),
                instance_folder.path.display()
            ))
        })
    }

    /// Records it: wholly or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, instance_folder: &InstanceFolder) -> Result<(), ServerError> {
        let write = || -> io::Result<()> {
            let mut text = serde_json::to_string_pretty(self)?;
            text.push('\n');
            instance_folder.files()?.write(RECORD, &text)
        };
        write().map_err(|error| ServerError::io("write", &instance_folder.record(), &error))
    }

    /// Forgets it.
    pub(super) fn forget(instance_folder: &InstanceFolder) -> Result<(), ServerError> {
        let forgotten = instance_folder.files().and_then(|files| files.remove(RECORD));
        forgotten.map_err(|error| ServerError::io("remove", &instance_folder.record(), &error))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Home;
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    #[test]
    fn a_record_is_its_owners_alone_and_no_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let instance_folder = Home::at(dir.path()).unwrap().instance_folder("engine").unwrap();
        instance_folder.create().unwrap();
        assert_eq!(Instance::read(&instance_folder).unwrap(), None);
        let instance: Instance = serde_json::from_str(
            r#"{"engine":"engine","version":"1","size":"T","cache_bytes":1,"stage":"stopped","process":null,"data":"/d",
                "socket_folder":"/r","user":"u","programs":"/b","log":"/l","memory_limit_bytes":null,"cgroup":null,"keep":true}"#,
        )
        .unwrap();
        let secret = dir.path().join("secret");
        std::fs::write(&secret, "secret").unwrap();
        for name in ["instance.json.new", "instance.json"] {
            symlink(&secret, instance_folder.path.join(name)).unwrap();
        }
        assert!(Instance::read(&instance_folder).unwrap_err().to_string().contains("is a link"));
        instance.write(&instance_folder).unwrap();
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
        assert_eq!(Instance::read(&instance_folder).unwrap(), Some(instance));
        let there = instance_folder.record().symlink_metadata().unwrap();
        assert!(there.is_file() && there.mode() & 0o777 == 0o600);
        if rustix::process::geteuid().is_root() {
            // Whoever has written it may have put anything there.
            std::os::unix::fs::chown(instance_folder.record(), Some(54_321), None).unwrap();
            assert!(Instance::read(&instance_folder).unwrap_err().to_string().contains("belongs to another user"));
        }
        Instance::forget(&instance_folder).unwrap();
        assert_eq!(Instance::read(&instance_folder).unwrap(), None);
    }
}
