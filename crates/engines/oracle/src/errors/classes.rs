//! Which class an error of the driver's own is of.

use super::decisive;
use dbdyno_model::ErrorClass;
use oracledb::ErrorKind;

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
