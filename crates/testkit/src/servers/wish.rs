//! What a test wants of its server.

use super::running::{Running, run};
use super::tls::{CERTIFICATE, Certificate, KEY};
use super::{Facts, Scratch};
use dbdyno_engine::servers::{Access, Account, Found, Place, Product, Search, Server, ServerError, Silent, free_port};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What a test wants of its server.
pub struct Wish<S> {
    settings: Vec<(String, String)>,
    access: Vec<String>,
    certificate: Option<Certificate>,
    making: Vec<String>,
    preload: Option<PathBuf>,
    below: Option<PathBuf>,
    copied: Option<(PathBuf, &'static str)>,
    server: PhantomData<fn() -> S>,
}

impl<S> Default for Wish<S> {
    fn default() -> Self {
        Self {
            settings: Vec::new(),
            access: Vec::new(),
            certificate: None,
            making: Vec::new(),
            preload: None,
            below: None,
            copied: None,
            server: PhantomData,
        }
    }
}

impl<S> Wish<S> {
    /// A setting; the value is quoted here, and is empty where there is none.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A line that says who is let in, which goes before those that let everybody on this machine in.
    pub fn access(mut self, line: &str) -> Self {
        self.access.push(line.to_owned());
        self
    }

    /// TLS with a certificate for these names (`DNS:localhost,IP:127.0.0.1`), signed by `Running::authority`.
    pub fn tls(mut self, names: &str) -> Self {
        self.certificate = Some(Certificate { names: names.to_owned(), self_signed: false });
        self
    }

    /// TLS with a certificate for these names that has signed itself: it is `Running::certificate`.
    pub fn self_signed_tls(mut self, names: &str) -> Self {
        self.certificate = Some(Certificate { names: names.to_owned(), self_signed: true });
        self
    }

    /// An argument for what makes the data folder; such a folder is no copy of one that was made before.
    pub fn making(mut self, argument: &str) -> Self {
        self.making.push(argument.to_owned());
        self
    }

    /// A library that goes before the server's own, so that a test can take its calls away.
    pub fn preload(mut self, library: &Path) -> Self {
        self.preload = Some(library.to_owned());
        self
    }

    /// A folder in which the server's folder is to be.
    pub fn below(mut self, folder: &Path) -> Self {
        self.below = Some(folder.to_owned());
        self
    }

    /// The data of another server, at which nobody works for the moment, and an empty file of this name beside it.
    pub fn copy_of(mut self, data: &Path, file: &'static str) -> Self {
        self.copied = Some((data.to_owned(), file));
        self
    }
}

impl<S: Scratch> Wish<S> {
    /// Makes and starts the server.
    pub fn start(self) -> S {
        let product = S::product();
        assert_eq!(S::KNOWN.engine, product.about().engine);
        let (account, programs) = found(product).unwrap();
        let folder = match &self.below {
            Some(below) => TempDir::new_in(below),
            None => TempDir::new(),
        };
        let (folder, mut server) = prepared(product, account, &programs.folder, folder.unwrap());
        match &self.copied {
            Some((data, file)) => {
                copy(data, &server.place.data);
                server.data().unwrap().write(file, "").unwrap();
            }
            None if self.making.is_empty() => copy(&made(&server, S::KNOWN, &programs.version), &server.place.data),
            None => make(&server, S::KNOWN, &self.making),
        }
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut settings: Vec<(String, String)> = S::KNOWN.settings.iter().map(owned).collect();
        settings.extend(product.reach(&server.place));
        if let Some(certificate) = &self.certificate {
            certificate.make(folder.path(), &server.account);
            settings.extend(product.tls(&folder.path().join(CERTIFICATE), &folder.path().join(KEY)));
        }
        settings.extend(self.settings);
        server.let_in(&self.access).unwrap();
        server.environment = self.preload.into_iter().map(|library| ("LD_PRELOAD".into(), library.into())).collect();
        S::from(Running::start(folder, server, settings, S::KNOWN))
    }
}

/// Whom servers run as, and their programs: those of the folder that the product's variable names, or others.
fn found(product: &dyn Product) -> Result<(Account, Found), ServerError> {
    let (account, named) = (Account::choose(product.about().users)?, product.about().programs.named());
    let found = Found::find(product, &account, &Search { named: named.as_deref(), ..Search::default() })?;
    Ok((account, found))
}

/// A folder with parts for the data and the socket, which belong to the server's user.
fn prepared(
    product: &'static dyn Product,
    account: Account,
    programs: &Path,
    folder: TempDir,
) -> (TempDir, Server<'static>) {
    let open = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    open(folder.path(), 0o755);
    let part = |name| folder.path().join(name);
    // The socket is for every user of this machine, as a distribution's is.
    for (part, mode) in [(part("data"), 0o700), (part("run"), 0o755)] {
        fs::create_dir(&part).unwrap();
        open(&part, mode);
        account.give(&part).unwrap();
    }
    let place = Place {
        programs: programs.to_owned(),
        data: part("data"),
        socket_folder: part("run"),
        tcp_port: Some(free_port().unwrap()),
        access: Access::Anybody,
    };
    let log = part("log");
    (folder, Server { product, place, account, log, environment: Vec::new() })
}

fn make(server: &Server<'_>, facts: &Facts, further: &[String]) {
    let further: Vec<String> = facts.making.iter().map(ToString::to_string).chain(further.iter().cloned()).collect();
    server.make(&further, &Silent, &mut |_| Ok(())).unwrap();
}

/// A data folder as it is made without a wish, which others are copied from, because making takes seconds. It is made
/// once for each version and build of the tests, by whichever process is first; all others find it.
fn made(server: &Server<'static>, facts: &Facts, version: &str) -> PathBuf {
    let mut hash = DefaultHasher::new();
    let nowhere = Place { data: PathBuf::new(), socket_folder: PathBuf::new(), tcp_port: None, ..server.place.clone() };
    (&nowhere.programs, facts.making, format!("{:?}", server.product.making(&nowhere, &[]))).hash(&mut hash);
    // Beside the folder of the test's program: the build's own, on the same disk as everything that is built.
    let program = std::env::current_exe().unwrap();
    let kept = program.parent().and_then(Path::parent).unwrap().join("scratch");
    let path = kept.join(format!("{}_{version}_{:016x}", facts.engine, hash.finish()));
    if !path.exists() {
        let (account, programs) = (server.account.clone(), &server.place.programs);
        let (_folder, first) = prepared(server.product, account, programs, TempDir::new().unwrap());
        make(&first, facts, &[]);
        fs::create_dir_all(&kept).unwrap();
        let making = tempfile::tempdir_in(&kept).unwrap();
        let made = making.path().join("data");
        copy(&first.place.data, &made);
        // Whoever was faster has made the very same.
        if fs::rename(&made, &path).is_err() {
            assert!(path.exists(), "nothing at {}", path.display());
        }
    }
    path
}

/// Copies what is in a folder into another, with its owners and the holes in its files.
pub(super) fn copy(from: &Path, into: &Path) {
    fs::create_dir_all(into).unwrap();
    run(Command::new("cp").arg("-a").arg(from.join(".")).arg(into));
}
