import CBLSystemSQLite
import Glibc

/// The functions of SQL++ that choose by what is null or MISSING.
enum ConditionalFunctions {
    static let rows = [
        FunctionRow("ifmissingornull", -1) { Call($0, $1, $2).first { !$0.isMissing && !$0.isNull } },
        FunctionRow("N1QL_ifnull", -1) { Call($0, $1, $2).first { !$0.isNull } },
        FunctionRow("missingif", 2) { (context, count, values) in
            let call = Call(context, count, values)
            if call.propagates() { return }
            call[0].isEqual(to: call[1]) ? call.setMissing() : call.set(call[0])
        },
        FunctionRow("N1QL_nullif", 2) { (context, count, values) in
            let call = Call(context, count, values)
            if call.propagates() { return }
            call[0].isEqual(to: call[1]) ? call.setNull() : call.set(call[0])
        },
        FunctionRow("isvalued", 1) { (context, count, values) in
            let call = Call(context, count, values)
            call.set(untagged: !call[0].isMissing && !call[0].isNull)
        },
    ]
}

extension Call {
    fileprivate func first(where predicate: (Argument) -> Bool) {
        for index in 0..<count where predicate(self[index]) { return set(self[index]) }
        setNull()
    }
}

extension Argument {
    /// Numbers are compared as numbers, all else by SQLite's type and the bytes.
    func isEqual(to other: Argument) -> Bool {
        switch (type, other.type) {
        case (SQLITE_INTEGER, SQLITE_INTEGER): return int64 == other.int64
        case (SQLITE_FLOAT, SQLITE_FLOAT): return sqlite3_value_double(value) == sqlite3_value_double(other.value)
        case (SQLITE_FLOAT, SQLITE_INTEGER): return Int64(exactly: sqlite3_value_double(value)) == other.int64
        case (SQLITE_INTEGER, SQLITE_FLOAT): return other.isEqual(to: self)
        case (SQLITE_TEXT, SQLITE_TEXT), (SQLITE_BLOB, SQLITE_BLOB):
            guard let first = text ?? blob, let second = other.text ?? other.blob, first.count == second.count else { return false }
            guard let start = first.baseAddress, let otherStart = second.baseAddress else { return true }
            return memcmp(start, otherStart, first.count) == 0
        default: return false
        }
    }
}
