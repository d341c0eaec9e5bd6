import CBLFleece
import CBLSystemSQLite
import Glibc

/// The functions that reach into document bodies. Hot: an index or a query calls one for every row.
enum DocumentFunctions {
    static let rows = [
        FunctionRow("fl_value", 2) { Call($0, $1, $2).propertyValue() },
        FunctionRow("fl_stored_value", 2) { Call($0, $1, $2).propertyValue() },
        FunctionRow("fl_root", 1) { Call($0, $1, $2).root() },
        FunctionRow("fl_nested_value", 2) { Call($0, $1, $2).nestedValue() },
        FunctionRow("fl_unnested_value", 1) { Call($0, $1, $2).unnestedItem() },
        FunctionRow("fl_unnested_value", 2) { Call($0, $1, $2).unnestedValue() },
        FunctionRow("fl_exists", 2) { Call($0, $1, $2).propertyExists() },
        FunctionRow("fl_count", 2) { Call($0, $1, $2).propertyCount() },
        FunctionRow("fl_contains", 3) { Call($0, $1, $2).propertyContains() },
        FunctionRow("fl_blob", 2) { Call($0, $1, $2).blobContent() },
        FunctionRow("fl_version", 1) { Call($0, $1, $2).revisionText() },
        FunctionRow("fl_fts_value", 2) { Call($0, $1, $2).fullTextValue() },
        FunctionRow("fl_null", 0) { Call($0, $1, $2).setNull() },
        FunctionRow("fl_bool", 1) { (context, count, values) in
            let call = Call(context, count, values)
            call.set(call[0].int64 != 0)
        },
        FunctionRow("fl_result", 1) { Call($0, $1, $2).result() },
        FunctionRow("fl_boolean_result", 1) { Call($0, $1, $2).booleanResult() },
    ]
}

extension Call {
    fileprivate func propertyValue() {
        if case .value(let value) = property() { set(value) }
    }

    /// A body as it is stored, or the value that a row of `fl_each` lends.
    fileprivate func root() {
        let argument = self[0]
        guard let bytes = argument.blob else {
            guard let pointer = sqlite3_value_pointer(argument.value, Argument.pointerType) else { return setMissing() }
            return sqlite3_result_pointer(context, pointer, Argument.pointerType, nil)
        }
        if bytes.isEmpty { return setMissing() }
        set(blob: current(bytes))
    }

    fileprivate func nestedValue() {
        guard let value = self[0].encodedValue, self[1].type != SQLITE_NULL else { return setMissing() }
        if case .value(let item) = property(of: value) { set(item) }
    }

    fileprivate func unnestedItem() {
        self[0].isBlob ? root() : set(self[0])
    }

    fileprivate func unnestedValue() {
        self[0].isBlob ? propertyValue() : setMissing()
    }

    fileprivate func propertyExists() {
        switch property() {
        case .value: set(true)
        case .missing: set(false)
        case .failed: break
        }
    }

    fileprivate func propertyCount() {
        guard case .value(let value) = property() else { return }
        if let array = value.array {
            set(Int64(array.count { !$0.isNull }))
        } else if let dictionary = value.dictionary {
            set(Int64(dictionary.count))
        }
    }

    /// With NULL as the path, the first argument is the collection itself.
    fileprivate func propertyContains() {
        if self[1].type == SQLITE_NULL { return contains(self[0].encodedValue, self[2]) }
        switch property() {
        case .value(let value): contains(value, self[2])
        case .missing: contains(nil, self[2])
        case .failed: break
        }
    }

    /// Whether an array has an item, or a dictionary a value, that equals a scalar. Null for what is no collection, and for null.
    func contains(_ collection: Value?, _ target: Argument) {
        guard let collection, collection.array != nil || collection.dictionary != nil else { return setNull() }
        if target.isMissing { return setMissing() }
        if target.isNull { return setNull() }
        set(ScalarMatcher(target).isAny(of: collection) == true)
    }

    fileprivate func blobContent() {
        guard case .value(let value) = property(), let dictionary = value.dictionary else { return }
        let database = database
        guard let content = database.blobContent?(dictionary, database.sharedKeys) else { return }
        content.withUnsafeBytes { set(data: $0) }
    }

    fileprivate func revisionText() {
        guard let bytes = self[0].blob, !bytes.isEmpty, let text = database.revisionText?(bytes) else { return setMissing() }
        set(text)
    }

    /// A result column carries booleans, null and the like as encodings, because subtypes end with the statement.
    fileprivate func result() {
        let argument = self[0]
        switch argument.type {
        case SQLITE_INTEGER where argument.subtype == Subtype.boolean: set(encodedBoolean: argument.int64 != 0)
        case SQLITE_INTEGER where argument.subtype == Subtype.unsigned:
            encode { $0.write(UInt64(bitPattern: argument.int64)) }
        case SQLITE_BLOB where argument.isNull: set(blob: Call.bytes("0\0"))
        case SQLITE_BLOB where argument.subtype == Subtype.data:
            encode { encoder in argument.blob.map(encoder.writeData) }
        case SQLITE_NULL:
            if let value = argument.pointer { set(encoding: value) }
        default: set(argument)
        }
    }

    fileprivate func booleanResult() {
        guard let boolean = self[0].truth else { return result() }
        set(encodedBoolean: boolean)
    }

    private func set(encodedBoolean boolean: Bool) { set(blob: Call.bytes(boolean ? "8\0" : "4\0")) }

    private static func bytes(_ literal: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    }
}

extension Argument {
    /// Whether this counts as true: a number that is not 0, text, data or a collection that is not empty. Nil for null and MISSING.
    var truth: Bool? {
        switch type {
        case SQLITE_INTEGER: return int64 != 0
        case SQLITE_FLOAT: return sqlite3_value_double(value) != 0
        case SQLITE_TEXT: return sqlite3_value_bytes(value) > 0
        default:
            if isNull { return nil }
            if subtype == Subtype.data { return blob?.isEmpty == false }
            guard let encoded = encodedValue else { return isBlob ? false : nil }
            switch encoded.kind {
            case .array: return encoded.array?.isEmpty == false
            case .dictionary: return encoded.dictionary?.isEmpty == false
            case .data: return encoded.dataBytes?.isEmpty == false
            default: return false
            }
        }
    }
}

/// Compares items of collections with one scalar.
package struct ScalarMatcher {
    private enum Target {
        case integer(Int64), unsigned(UInt64), double(Double), text(UnsafeRawBufferPointer), data(UnsafeRawBufferPointer), nothing
    }
    private let target: Target

    init(_ argument: Argument) {
        switch argument.type {
        case SQLITE_INTEGER where argument.subtype == Subtype.unsigned && argument.int64 < 0:
            target = .unsigned(UInt64(bitPattern: argument.int64))
        case SQLITE_INTEGER: target = .integer(argument.int64)
        case SQLITE_FLOAT: target = .double(sqlite3_value_double(argument.value))
        case SQLITE_TEXT: target = argument.text.map(Target.text) ?? .nothing
        default:
            if argument.subtype == Subtype.data {
                target = argument.blob.map(Target.data) ?? .nothing
            } else {
                target = argument.encodedValue?.dataBytes.map(Target.data) ?? .nothing
            }
        }
    }

    package init(_ integer: Int64) { target = .integer(integer) }
    package init(_ double: Double) { target = .double(double) }
    /// `text` has to stay where it is.
    package init(text: UnsafeRawBufferPointer) { target = .text(text) }

    /// Whether an array has an item, or a dictionary a value, that equals the scalar; nil for what is no collection.
    package func isAny(of collection: Value) -> Bool? {
        if let array = collection.array {
            for index in 0..<array.count where matches(array[index]) { return true }
            return false
        }
        guard let dictionary = collection.dictionary else { return nil }
        for (_, value) in dictionary where matches(value) { return true }
        return false
    }

    /// Booleans count as 0 and 1.
    @inline(__always)
    func matches(_ value: Value) -> Bool {
        switch target {
        case .text(let bytes):
            guard let other = value.stringBytes else { return false }
            return bytes.count == other.count && equal(bytes, other)
        case .integer(let number):
            switch value.kind {
            case .integer: return value.integer == number
            case .double: return value.double.map { Int64(exactly: $0) == number } ?? false
            case .boolean: return (value.boolean == true ? 1 : 0) == number
            default: return false
            }
        case .unsigned(let number):
            switch value.kind {
            case .integer: return value.unsigned == number
            case .double: return value.double.map { UInt64(exactly: $0) == number } ?? false
            default: return false
            }
        case .double(let number):
            switch value.kind {
            case .integer: return value.integer.map { Int64(exactly: number) == $0 } ?? (UInt64(exactly: number) == value.unsigned)
            case .double: return value.double == number
            case .boolean: return (value.boolean == true ? 1 : 0) == number
            default: return false
            }
        case .data(let bytes):
            guard let other = value.dataBytes else { return false }
            return bytes.count == other.count && equal(bytes, other)
        case .nothing: return false
        }
    }

    @inline(__always)
    private func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return memcmp(first, second, a.count) == 0
    }
}
