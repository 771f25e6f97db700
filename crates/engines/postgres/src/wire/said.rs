//! An error as the server tells it: fields, each with a letter.

use super::super::errors::Said;

/// Reads the fields of an error. What is broken is left out: an error that cannot be read is an error all the same.
pub(super) fn said(mut body: &[u8]) -> Said {
    let mut said = Said { message: "the server gave no reason".to_owned(), ..Said::default() };
    while let Some((field, rest)) = body.split_first() {
        let Some(end) = rest.iter().position(|byte| *byte == 0) else { break };
        let text = || String::from_utf8_lossy(&rest[..end]).into_owned();
        match field {
            b'C' => said.sqlstate = text(),
            b'M' => said.message = text(),
            b'D' => said.detail = Some(text()),
            b'H' => said.hint = Some(text()),
            b'W' => said.place = Some(text()),
            _ => {}
        }
        body = &rest[end + 1..];
    }
    said
}
