//! Finding a server's programs: where the user says, else in PATH, else where distributions put them.

use super::programs::{expand, in_path, is_program};
use super::{Account, Product, Programs, ServerError};
use std::path::{Path, PathBuf};

/// What is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Search<'a> {
    /// The one folder to look at, where one is named.
    pub named: Option<&'a Path>,
    /// The folder that is looked at first otherwise.
    pub before: Option<&'a Path>,
    /// The series that made the data, where there is data already, and what else than its programs helps, in words.
    pub made_by: Option<(&'a str, &'a str)>,
}

/// Programs that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Their folder.
    pub folder: PathBuf,
    /// Their version, as they say themselves.
    pub version: String,
}

impl Found {
    /// The first programs that this user may run and that fit the data. Where a folder is named, nothing else is looked
    /// at.
    ///
    /// # Errors
    /// There are none, in words that say what to install.
    pub fn find(product: &dyn Product, account: &Account, search: &Search<'_>) -> Result<Self, ServerError> {
        let Programs { variable, needed, folders, install, .. } = product.about().programs;
        let before = search.before.map(Path::to_owned).into_iter();
        let candidates = match search.named {
            Some(folder) => vec![folder.to_owned()],
            None => before.chain(in_path()).chain(folders.iter().flat_map(|f| expand(f))).collect(),
        };
        let series = search.made_by.map(|(series, _)| series);
        let mut problems = Vec::new();
        for folder in candidates {
            match Self::look(product, account, &folder, series) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) if search.named.is_some() => {
                    problems.push(format!("{} does not hold {}", folder.display(), needed.join(" and ")));
                }
                Ok(None) => {}
                Err(problem) if problems.contains(&problem) => {}
                Err(problem) => problems.push(problem),
            }
        }
        let hint = match problems.is_empty() {
            true => format!("{} not found in PATH or where distributions put them; ", needed.join(" and ")),
            false => format!("{}; ", problems.join("; ")),
        };
        let what = match search.made_by {
            Some((series, instead)) => format!("install version {series}, which made the data, or {instead}"),
            None => format!("install {install}"),
        };
        Err(ServerError::Refused(format!("{hint}{what}, or set {variable} to the folder of these programs")))
    }

    /// The programs of a folder: none there, or a reason why those there do not do.
    fn look(
        product: &dyn Product,
        account: &Account,
        folder: &Path,
        series: Option<&str>,
    ) -> Result<Option<Self>, String> {
        let programs = product.about().programs;
        if !programs.needed.iter().all(|program| is_program(&programs.place(folder, program))) {
            return Ok(None);
        }
        let server = programs.server(folder);
        let cannot = |why: String| format!("the user {} cannot run {}: {why}", account.name, server.display());
        let output = account.command(&server).arg("--version").output().map_err(|e| cannot(e.to_string()))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let Some(version) = product.version(&said).filter(|_| output.status.success()) else {
            return Err(cannot(first_line(&String::from_utf8_lossy(&output.stderr))));
        };
        if let Some(why) = product.too_old(&version) {
            return Err(format!("{} is version {version}; {why}", folder.display()));
        }
        match series {
            Some(series) if product.series(&version) != series => {
                Err(format!("{} is version {version}, but the data was made by version {series}", folder.display()))
            }
            _ => Ok(Some(Self { folder: folder.to_owned(), version })),
        }
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().filter(|line| !line.is_empty()).unwrap_or("it does not tell its version").to_owned()
}
