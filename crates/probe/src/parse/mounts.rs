//! `/proc/self/mountinfo`: what is mounted where (kernel: Documentation/filesystems/proc.rst, section 3.5).

use crate::os::DeviceNumber;
use std::path::{Path, PathBuf};

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Its device; major 0 where the file system has none of its own.
    pub(crate) device: DeviceNumber,
    /// The folder of the file system that is mounted; its root, unless it is a bind mount.
    pub(crate) root: PathBuf,
    /// Where it is mounted.
    pub(crate) point: PathBuf,
    /// File system.
    pub(crate) kind: String,
    /// The mounted device or source, in the file system's own form.
    pub(crate) source: String,
    /// Options of the mount and of the file system, each once.
    pub(crate) options: Vec<String>,
}

impl Mount {
    /// The value of an option `name=value`.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|o| o.strip_prefix(name)?.strip_prefix('='))
    }

    /// In the form of an inventory: `/data xfs (rw,noatime)`. The layers of an overlay are left out, because a
    /// container's many long paths do not matter.
    pub(crate) fn describe(&self) -> String {
        let layer = |option: &&String| option.split_once('=').is_some_and(|(name, _)| name.ends_with("dir"));
        let options: Vec<&str> = self.options.iter().filter(|o| !layer(o)).map(String::as_str).collect();
        format!("{} {} ({})", self.point.display(), self.kind, options.join(","))
    }
}

/// All mounts, in the order in which they were made. Unknown lines are left out.
pub(crate) fn mounts(text: &str) -> Vec<Mount> {
    text.lines().filter_map(mount).collect()
}

fn mount(line: &str) -> Option<Mount> {
    let (own, file_system) = line.split_once(" - ")?;
    let mut own = own.split(' ').skip(2);
    let (major, minor) = own.next()?.split_once(':')?;
    let device = (major.parse().ok()?, minor.parse().ok()?);
    let (root, point) = (PathBuf::from(unescaped(own.next()?)), PathBuf::from(unescaped(own.next()?)));
    let per_mount = own.next()?;
    let mut file_system = file_system.split(' ');
    let kind = file_system.next()?.to_owned();
    let source = unescaped(file_system.next()?);
    let mut options: Vec<String> = Vec::new();
    for option in per_mount.split(',').chain(file_system.next().unwrap_or_default().split(',')) {
        let option = unescaped(option);
        if !option.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    }
    Some(Mount { device, root, point, kind, source, options })
}

/// The mount of a path: the deepest one, and of several at the same place the last.
pub(crate) fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts.iter().filter(|m| path.starts_with(&m.point)).max_by_key(|m| m.point.components().count())
}

/// Blanks and the like are written as a backslash and three octal digits.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let octal = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        plain.push(octal.unwrap_or(b'\\'));
        plain.extend(part.as_bytes().iter().skip(if octal.is_some() { 3 } else { 0 }));
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
23 27 0:22 / /sys rw,nosuid shared:7 master:1 - sysfs sysfs rw
40 27 253:3 / /srv/my\\040data rw,noatime - xfs /dev/mapper/vg-data rw,attr2,inode64
41 27 0:51 / /srv/my\\040data/hot rw - tmpfs tmpfs rw,size=8k
42 27 0:60 / /ct rw - overlay overlay rw,lowerdir=/l,upperdir=/var/u\\040p,workdir=/w
broken line
";

    #[test]
    fn mounts_with_optional_fields_and_blanks() {
        let found = mounts(RECORDED);
        assert_eq!(found.len(), 5);
        assert_eq!(found[0].describe(), "/ ext4 (rw,relatime,discard)");
        assert_eq!(found[1].kind, "sysfs");
        assert_eq!(found[2].describe(), "/srv/my data xfs (rw,noatime,attr2,inode64)");
        assert_eq!((found[2].device, found[2].source.as_str()), ((253, 3), "/dev/mapper/vg-data"));
        assert_eq!(found[4].option("upperdir"), Some("/var/u p"));
        assert_eq!(found[4].option("upper"), None);
        assert_eq!(found[4].describe(), "/ct overlay (rw)");
    }

    #[test]
    fn the_deepest_mount_holds_a_path() {
        let found = mounts(RECORDED);
        let kind = |path| mount_of(&found, Path::new(path)).map(|m| m.kind.as_str());
        assert_eq!(kind("/srv/my data/x.db"), Some("xfs"));
        assert_eq!(kind("/srv/my data/hot/x.db"), Some("tmpfs"));
        assert_eq!(kind("/srv/my database"), Some("ext4"), "a name's beginning is not its folder");
        assert_eq!(mount_of(&[], Path::new("/")), None);
        let twice = mounts("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / / rw - xfs /dev/sda2 rw\n");
        assert_eq!(mount_of(&twice, Path::new("/x")).unwrap().kind, "xfs", "the later one lies on top");
    }
}
