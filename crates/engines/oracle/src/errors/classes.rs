//! Which class an error is of.

use super::decisive;
use dbdyno_model::ErrorClass;
use oracledb::ErrorKind;

/// A statement was interrupted.
const INTERRUPTED: usize = 1013;

/// The class of a server's or a listener's error.
pub(super) fn class_of(code: usize) -> ErrorClass {
    match code {
        22
        | 28
        | 31
        | 1012
        | 1014
        | 1033
        | 1034
        | 1041
        | 1089
        | 1090
        | 1092
        | 2396
        | 2399
        | 3106
        | 3113
        | 3114
        | 3135
        | 3136
        | 12152
        | 12153
        | 12157
        | 12203
        | 12224
        | 12500
        | 12502
        | 12528
        | 12533
        | 12537
        | 12541
        | 12543
        | 12545
        | 12547
        | 12551
        | 12560
        | 12564
        | 12569..=12571
        | 12583
        | 12585
        | 12592
        | 12637
        | 25402..=25409 => ErrorClass::ConnectionLost,
        1004 | 1005 | 1017 | 28000..=28003 | 28007 | 28009 | 28030 | 28040 | 28041 | 28047 | 12638 | 12639 => {
            ErrorClass::Authentication
        }
        990
        | 1031
        | 1035
        | 1045
        | 1219
        | 1720
        | 1749
        | 1927
        | 1950
        | 12526
        | 13516
        | 16000
        | 24247
        | 47306
        | 47400..=47999 => ErrorClass::Permission,
        60 | 4020 | 8176 | 8177 | 12829 => ErrorClass::Conflict,
        INTERRUPTED => ErrorClass::Cancelled,
        40 | 51 | 54 | 2049 | 2392..=2395 | 4021 | 12170 | 12535 | 12606..=12609 | 30006 => ErrorClass::Timeout,
        257
        | 1536
        | 1562
        | 1628..=1632
        | 1650..=1655
        | 1658
        | 1659
        | 1683
        | 1688
        | 1691..=1693
        | 3232..=3234
        | 15041
        | 16014
        | 16038
        | 19502
        | 19504
        | 19809
        | 30036
        | 65114 => ErrorClass::OutOfSpace,
        904
        | 942
        | 959
        | 1418
        | 1432
        | 1434
        | 1435
        | 1917..=1919
        | 2019
        | 2149
        | 2289
        | 2443
        | 4042
        | 4043
        | 6508
        | 6564
        | 8103
        | 12154
        | 12505
        | 12514
        | 12521 => ErrorClass::UnknownObject,
        1498 | 1499 | 1578 | 8102 | 26040 => ErrorClass::Corruption,
        406 | 439 | 3001 | 12650 | 12660 | 64307 | 65040 => ErrorClass::Unsupported,
        // No free session, process or server (18, 20, 2391, 12516 to 12520) is none of these: the point has failed, and
        // works once the limit is raised.
        _ => ErrorClass::Other,
    }
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
