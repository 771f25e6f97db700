//! How this dbdyno was built, as far as it can be observed. Runs store it, because two builds of one version may
//! measure differently.

use dbdyno_model::Tool;
use dbdyno_probe::{CLibrary, c_library};

/// This dbdyno.
pub(super) fn tool() -> Tool {
    let mut tool = Tool { version: env!("CARGO_PKG_VERSION").to_owned(), ..Tool::default() };
    let mut lacks = |key: &str, why: String| _ = tool.missing.insert(key.to_owned(), why);
    let CLibrary { name, version, allocator } = c_library();
    tool.libc_version = version.map_err(|why| lacks("libc_version", why)).ok();
    tool.allocator = allocator.map_err(|why| lacks("allocator", why)).ok();
    match dbdyno_results::embedded() {
        Ok((name, options)) => _ = tool.embedded.insert(name.to_owned(), options),
        Err(why) => lacks("embedded", why),
    }
    tool.libc = name.map(str::to_owned);
    tool.profile = Some(env!("DBDYNO_PROFILE").to_owned()).filter(|profile| !profile.is_empty());
    for (key, known) in [("libc", tool.libc.is_some()), ("profile", tool.profile.is_some())] {
        if !known {
            tool.missing.insert(key.to_owned(), "the compiler did not say it".to_owned());
        }
    }
    tool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_has_a_reason() {
        let Tool { version, profile, libc, libc_version, allocator, embedded, missing } = tool();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        let known =
            [("profile", &profile), ("libc", &libc), ("libc_version", &libc_version), ("allocator", &allocator)];
        for (key, value) in known {
            assert!(value.is_some() != missing.contains_key(key), "{key}: {value:?} {missing:?}");
        }
        // The profile of this test, and the options of .cargo/config.toml.
        assert_eq!(profile.as_deref() == Some("dev"), cfg!(debug_assertions), "{profile:?}");
        assert!(embedded.values().flatten().any(|option| option == "ENABLE_MATH_FUNCTIONS"), "{embedded:?}");
    }
}
