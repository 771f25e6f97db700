//! What dbdyno has made in an instance's folder, and so may remove. Names alone prove nothing: somebody's own data may
//! well lie in `~/postgres/data`. What is made gets a mark that names this very folder or file (`dbdyno_files::mark`).
//! Where a file system keeps no marks, and for instances of earlier versions, the record must agree with what is there.

use super::Instance;
use super::home::InstanceFolder;
use crate::servers::{Account, DataFolder, Product, ServerError};
use dbdyno_files::mark;
use rustix::fs::{Mode, OFlags};
use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

const WHAT: &str = "private instance 1";

/// Marks what was just made.
pub(super) fn mark(made: impl AsFd) -> io::Result<()> {
    mark::set(made, WHAT)?;
    Ok(())
}

/// Marks a folder that was just made.
///
/// # Errors
/// It cannot be opened.
pub fn mark_folder(path: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    mark(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Refuses an instance's folder in which something stands in the place of what dbdyno makes.
pub(super) fn refuse_foreign(
    instance_folder: &InstanceFolder,
    product: &dyn Product,
    recorded: Option<&Instance>,
) -> Result<(), ServerError> {
    let recorded = recorded.filter(|instance| is_of(instance, instance_folder, product));
    let data = instance_folder.data();
    for path in instance_folder.made() {
        let Ok(found) = path.symlink_metadata() else { continue };
        let is_known = || match recorded {
            Some(instance) if path == data => agrees(instance, instance_folder, product),
            recorded => recorded.is_some(),
        };
        if !is_marked(&path, &found) && !is_empty(&path, &found) && !is_known() {
            return Err(ServerError::Refused(format!(
                "{0} is there, and nothing proves that dbdyno made it, so it is not touched; set DBDYNO_HOME to another folder, or remove or \
                 rename {0} yourself",
                path.display()
            )));
        }
    }
    Ok(())
}

fn is_marked(path: &Path, found: &Metadata) -> bool {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = (found.is_dir() || found.is_file()).then(|| rustix::fs::open(path, flags, Mode::empty()));
    opened.is_some_and(|opened| opened.is_ok_and(|opened| mark::is_marked(opened, WHAT)))
}

/// What dbdyno was killed over before it could mark it; nobody loses anything with that.
fn is_empty(path: &Path, found: &Metadata) -> bool {
    (found.is_file() && found.len() == 0)
        || (found.is_dir() && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()))
}

/// Whether a record is of this very place.
fn is_of(instance: &Instance, instance_folder: &InstanceFolder, product: &dyn Product) -> bool {
    let place = |path: &Path| path.metadata().ok().map(|found| (found.dev(), found.ino()));
    let folder = instance.data.parent().and_then(place);
    instance.engine == product.about().engine && folder.is_some() && folder == place(&instance_folder.path)
}

/// Whether the data is what a record says: of its user and of its version, with the settings that each start writes.
fn agrees(instance: &Instance, instance_folder: &InstanceFolder, product: &dyn Product) -> bool {
    let Ok(data) = DataFolder::open(&instance_folder.data()) else { return false };
    Account::choose(&[&instance.user]).is_ok_and(|account| account.uid() == data.owner_uid())
        && product.data_series(&data).is_none_or(|series| series == product.series(&instance.version))
        && data.read(product.about().settings_file).is_ok()
}
