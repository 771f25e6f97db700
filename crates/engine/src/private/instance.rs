//! The record of a private instance, in a file beside its data. Each process is recorded before it begins its work, so
//! that what a killed dbdyno leaves running can be found again.

use super::home::{InstanceFolder, RECORD};
use super::{HeldBy, Which};
use crate::servers::{Access, Place, Process, ServerError, StandbyKind};
use serde::{Deserialize, Deserializer, Serialize};
use std::io;
use std::path::PathBuf;

/// How far an instance has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Its data is being made. The recorded process makes it.
    Making,
    /// The server has been started, but has not accepted connections yet.
    Starting,
    /// The server accepted connections.
    Running,
    /// There is data, but no server runs.
    Stopped,
}

/// The private instance of one engine, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The engine's name.
    pub engine: String,
    /// Its own name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The version of the server's programs.
    pub version: String,
    /// The size class that its settings are for.
    pub size: String,
    /// The size of the engine's cache.
    pub cache_bytes: u64,
    /// How far it had come when this was written. Its process may have ended since: see [`Instance::lives`].
    pub stage: Stage,
    /// The server's main process, or the process that makes the data.
    pub process: Option<Process>,
    /// The folder of its data.
    pub data: PathBuf,
    /// The folder of its socket.
    pub socket_folder: PathBuf,
    /// The port in the socket's name, for products whose sockets have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The user of the operating system that it runs as.
    pub user: String,
    /// The folder of its programs.
    pub programs: PathBuf,
    /// The file of its log.
    pub log: PathBuf,
    /// The most memory that it may use, page cache included.
    pub memory_limit_bytes: Option<u64>,
    /// The processors that it is held to; none where it may use all.
    #[serde(default)]
    pub cpus: Vec<u32>,
    /// What holds it to them.
    #[serde(default)]
    pub held_by: Option<HeldBy>,
    /// The control groups that enforce these limits.
    #[serde(default, alias = "cgroup", deserialize_with = "one_or_more")]
    pub cgroups: Vec<PathBuf>,
    /// Whether `down` keeps the data if it has no option that says so.
    pub keep: bool,
    /// The standby that it was started with. How it replicates is asked of the servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standby: Option<StandbyKind>,
}

/// Records of earlier versions name one control group, or null.
fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Named {
        One(PathBuf),
        More(Vec<PathBuf>),
    }
    Ok(match Option::deserialize(deserializer)? {
        None => Vec::new(),
        Some(Named::One(group)) => vec![group],
        Some(Named::More(groups)) => groups,
    })
}

impl Instance {
    /// Which instance it is.
    #[must_use]
    pub fn which(&self) -> Which {
        Which { engine: self.engine.clone(), name: self.name.clone() }
    }

    /// Whether the recorded process still runs.
    #[must_use]
    pub fn lives(&self) -> bool {
        self.process.as_ref().is_some_and(Process::lives)
    }

    /// The id of the recorded process; 0 if there is none.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.as_ref().map_or(0, |p| p.pid)
    }

    /// The folders and the access of its server.
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

    /// Reads the record of an instance; `None` if there is no record.
    ///
    /// # Errors
    /// The record cannot be read, or is damaged.
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

    /// Writes the record, as a whole or not at all.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn write(&self, instance_folder: &InstanceFolder) -> Result<(), ServerError> {
        let write = || -> io::Result<()> {
            let mut text = serde_json::to_string_pretty(self)?;
            text.push('\n');
            instance_folder.files()?.write(RECORD, &text)
        };
        write().map_err(|error| ServerError::io("write", &instance_folder.record(), &error))
    }

    /// Removes the record.
    pub(super) fn remove(instance_folder: &InstanceFolder) -> Result<(), ServerError> {
        let removed = instance_folder.files().and_then(|files| files.remove(RECORD));
        removed.map_err(|error| ServerError::io("remove", &instance_folder.record(), &error))
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
        // As earlier versions wrote it.
        let instance: Instance = serde_json::from_str(
            r#"{"engine":"engine","version":"1","size":"T","cache_bytes":1,"stage":"stopped","process":null,"data":"/d",
                "socket_folder":"/r","user":"u","programs":"/b","log":"/l","memory_limit_bytes":null,"cgroup":"/c","keep":true}"#,
        )
        .unwrap();
        assert_eq!((instance.cgroups.as_slice(), instance.cpus.len()), ([PathBuf::from("/c")].as_slice(), 0));
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
            // Another user may have written anything into the record.
            std::os::unix::fs::chown(instance_folder.record(), Some(54_321), None).unwrap();
            assert!(Instance::read(&instance_folder).unwrap_err().to_string().contains("belongs to another user"));
        }
        Instance::remove(&instance_folder).unwrap();
        assert_eq!(Instance::read(&instance_folder).unwrap(), None);
    }
}
