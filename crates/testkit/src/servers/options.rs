//! The options of a test's server.

use super::client::copy;
use super::facts::ProductFacts;
use super::product::Scratch;
use super::running::RunningServer;
use super::tls::{CERTIFICATE, Certificate, KEY};
use dbdyno_engine::servers::{Access, Account, Found, Place, Product, Search, Server, ServerError, Silent, free_port};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The options of a test's server.
pub struct ServerOptions<S> {
    settings: Vec<(String, String)>,
    access: Vec<String>,
    certificate: Option<Certificate>,
    making: Vec<String>,
    preload: Option<PathBuf>,
    below: Option<PathBuf>,
    copied: Option<(PathBuf, &'static str)>,
    server: PhantomData<fn() -> S>,
}

impl<S> Default for ServerOptions<S> {
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

impl<S> ServerOptions<S> {
    /// A setting; the value is quoted here, and may be empty.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// An access rule, which precedes the rules that admit everyone on this machine.
    pub fn access(mut self, line: &str) -> Self {
        self.access.push(line.to_owned());
        self
    }

    /// TLS with a certificate for these names (`DNS:localhost,IP:127.0.0.1`), signed by `RunningServer::authority`.
    pub fn tls(mut self, names: &str) -> Self {
        self.certificate = Some(Certificate { names: names.to_owned(), self_signed: false });
        self
    }

    /// TLS with a self-signed certificate for these names, which is `RunningServer::certificate`.
    pub fn self_signed_tls(mut self, names: &str) -> Self {
        self.certificate = Some(Certificate { names: names.to_owned(), self_signed: true });
        self
    }

    /// An argument for the program that makes the data folder; such a folder is not copied from an earlier one.
    pub fn making(mut self, argument: &str) -> Self {
        self.making.push(argument.to_owned());
        self
    }

    /// A library that is loaded before the server's own, so that a test can intercept calls.
    pub fn preload(mut self, library: &Path) -> Self {
        self.preload = Some(library.to_owned());
        self
    }

    /// The folder in which the server's folder is made.
    pub fn below(mut self, folder: &Path) -> Self {
        self.below = Some(folder.to_owned());
        self
    }

    /// Uses a copy of the data of another server, which is idle for the moment, and an empty file of this name beside
    /// it.
    pub fn copy_of(mut self, data: &Path, file: &'static str) -> Self {
        self.copied = Some((data.to_owned(), file));
        self
    }
}

impl<S: Scratch> ServerOptions<S> {
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
        S::from(RunningServer::start(folder, server, settings, S::KNOWN))
    }
}

/// The user that servers run as, and their programs: those of the folder in the product's variable, or others.
fn found(product: &dyn Product) -> Result<(Account, Found), ServerError> {
    let (account, named) = (Account::choose(product.about().users)?, product.about().programs.named());
    let found = Found::find(product, &account, &Search { named: named.as_deref(), ..Search::default() })?;
    Ok((account, found))
}

/// A folder with subfolders for the data and the socket, which belong to the server's user.
fn prepared(
    product: &'static dyn Product,
    account: Account,
    programs: &Path,
    folder: TempDir,
) -> (TempDir, Server<'static>) {
    let open = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    open(folder.path(), 0o755);
    let part = |name| folder.path().join(name);
    // Every user of this machine may use the socket, as in a distribution.
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

fn make(server: &Server<'_>, facts: &ProductFacts, further: &[String]) {
    let further: Vec<String> = facts.making.iter().map(ToString::to_string).chain(further.iter().cloned()).collect();
    server.make(&further, &Silent, &mut |_| Ok(())).unwrap();
}

/// The data folder for default options, which others are copied from, because making one takes seconds. The first
/// process that needs it makes it, once for each version and build of the tests.
fn made(server: &Server<'static>, facts: &ProductFacts, version: &str) -> PathBuf {
    let mut hash = DefaultHasher::new();
    let nowhere = Place { data: PathBuf::new(), socket_folder: PathBuf::new(), tcp_port: None, ..server.place.clone() };
    (&nowhere.programs, facts.making, format!("{:?}", server.product.making(&nowhere, &[]))).hash(&mut hash);
    // Beside the folder of the test program: on the build's disk.
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
        // A process that was faster made the same folder.
        if fs::rename(&made, &path).is_err() {
            assert!(path.exists(), "nothing at {}", path.display());
        }
    }
    path
}
