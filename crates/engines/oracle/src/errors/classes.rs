//! Which class an error is of: by the server's number, which dialect/errors.toml has a class for, or by the kind of an
//! error of the driver's own.

use crate::DIALECT;
use dbdyno_model::ErrorClass;
use oracledb::ErrorKind;

/// Numbers that only say where another error came from: recursive SQL, the lines of a block, the block itself, a
/// parallel worker, a trigger, the layers of a bulk statement.
const WRAPPERS: [u32; 7] = [604, 4088, 6512, 6550, 12801, 24381, 39029];

/// The class of a server's or a listener's error.
pub(super) fn class_of(code: u32) -> ErrorClass {
    DIALECT.errors.class(code, "")
}

pub(super) fn number(code: usize) -> u32 {
    u32::try_from(code).unwrap_or(0)
}

/// The number, and its class, that tells most among those of a message.
pub(super) fn decisive(code: usize, message: &str) -> (u32, ErrorClass) {
    let code = number(code);
    let all = std::iter::once(code).chain(numbers(message)).filter(|number| !WRAPPERS.contains(number));
    let known = all.map(|number| (number, class_of(number))).find(|(_, class)| *class != ErrorClass::Other);
    known.unwrap_or_else(|| (code, DIALECT.errors.class(code, message)))
}

/// Every ORA- number of a message, in order.
pub(super) fn numbers(message: &str) -> impl Iterator<Item = u32> + '_ {
    message.split("ORA-").skip(1).filter_map(|after| {
        let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    })
}

/// The class of an error of the driver's own.
pub(super) fn class_of_kind(kind: &ErrorKind) -> ErrorClass {
    match kind {
        ErrorKind::DbError(server) => decisive(server.code(), server.message()).1,
        ErrorKind::CallTimeoutExceeded => ErrorClass::Timeout,
        ErrorKind::NoCredentials => ErrorClass::Authentication,
        ErrorKind::TnsAliasNotFound(..) | ErrorKind::InvalidServiceName(..) | ErrorKind::InvalidSid(..) => {
            ErrorClass::UnknownObject
        }
        ErrorKind::NotImplemented(_)
        | ErrorKind::ServerVersionNotSupported
        | ErrorKind::UnsupportedDbType(_)
        | ErrorKind::UnsupportedConversion(..) => ErrorClass::Unsupported,
        // What dbdyno asked for wrongly, and answers that do not fit what it asked for.
        ErrorKind::ColumnTruncated(..)
        | ErrorKind::DifferentTypes(..)
        | ErrorKind::InvalidBindName(_)
        | ErrorKind::InvalidColumnIndex(_)
        | ErrorKind::InvalidColumnName(_)
        | ErrorKind::InvalidConnectString(..)
        | ErrorKind::InvalidDescriptorNode(..)
        | ErrorKind::InvalidNetworkName(_)
        | ErrorKind::InvalidOracleNumber(_)
        | ErrorKind::MissingBindValue(_)
        | ErrorKind::NoConfigDir
        | ErrorKind::NoConnectString
        | ErrorKind::NoDataFound
        | ErrorKind::OutOfRange(_)
        | ErrorKind::ValueWasNull
        | ErrorKind::WrongNumPositionalBinds(..) => ErrorClass::Other,
        // After the rest nobody knows what the next answer belongs to.
        _ => ErrorClass::ConnectionLost,
    }
}
