//! The target of a command that names none: the embedded engine, in a file beside the results.

use super::context::Context;
use crate::cli::TargetArgs;
use crate::error::Error;
use dbdyno::EMBEDDED;
use std::path::Path;

/// The target's URL, with the options that are said apart. Where none was named, what is done there, and what next, is
/// said.
///
/// # Errors
/// None was named, and there is no place for one.
pub(super) fn url(wished: &TargetArgs, doing: &str, then: &str, context: &Context) -> Result<String, Error> {
    if let Some(target) = &wished.target {
        return Ok(wished.with_options(target));
    }
    let target = beside(&context.results)?;
    context.say(&format!("no --target: {doing} {target}, beside the results; then: {then}{}", context.same_files));
    Ok(wished.with_options(&target))
}

/// The target beside a results file.
fn beside(results: &Path) -> Result<String, Error> {
    let none = |why: &str| Error::Usage(format!("{why}; name a target with --target (`dbdyno list engines`)"));
    let engine = EMBEDDED.ok_or_else(|| none("this build has no engine without a server"))?;
    let stem = results.file_stem().unwrap_or_default().to_string_lossy();
    let file = results.with_file_name(format!("{stem}-data.{}", engine.name));
    let file = file.strip_prefix("./").unwrap_or(&file);
    match file.to_str() {
        // What would have a meaning of its own in a target.
        Some(name) if !name.contains(['?', '@', '%', '#']) && !name.starts_with("//") => {
            Ok(format!("{}:{name}", engine.name))
        }
        _ => Err(none(&format!("{} cannot be written as a target", file.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_beside_the_results_and_never_the_results() {
        let engine = EMBEDDED.unwrap().name;
        for (results, file) in [
            ("./dbdyno.db", "dbdyno-data"),
            ("dbdyno.db", "dbdyno-data"),
            ("../a b/x.y.db", "../a b/x.y-data"),
            ("/var/r", "/var/r-data"),
        ] {
            assert_eq!(beside(Path::new(results)).unwrap(), format!("{engine}:{file}.{engine}"));
        }
        assert!(beside(Path::new("/a?b/x.db")).unwrap_err().to_string().contains("--target"));
    }
}
