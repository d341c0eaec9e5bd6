import CBLFleece
import CBLSystemSQLite
import Glibc

/// The functions of SQL++ that ask for types, and change them.
enum TypeFunctions {
    static let rows = [
        FunctionRow("type", 1) { (context, count, values) in
            let call = Call(context, count, values)
            if call.propagates() { return }
            call.set(call[0].typeName)
        },
        FunctionRow("isarray", 1) { Call($0, $1, $2).isType { $0 == "array" } },
        FunctionRow("isatom", 1) { Call($0, $1, $2).isType { $0 == "boolean" || $0 == "number" || $0 == "string" } },
        FunctionRow("isboolean", 1) { Call($0, $1, $2).isType { $0 == "boolean" } },
        FunctionRow("isnumber", 1) { Call($0, $1, $2).isType { $0 == "number" } },
        FunctionRow("isobject", 1) { Call($0, $1, $2).isType { $0 == "object" } },
        FunctionRow("isstring", 1) { Call($0, $1, $2).isType { $0 == "string" } },
        FunctionRow("toarray", 1) { Call($0, $1, $2).toArray() },
        FunctionRow("toatom", 1) { Call($0, $1, $2).toAtom() },
        FunctionRow("toboolean", 1) { (context, count, values) in
            let call = Call(context, count, values)
            guard let truth = call[0].truth else { return call.set(call[0]) }
            call.set(truth)
        },
        FunctionRow("tonumber", 1) { Call($0, $1, $2).toNumber() },
        FunctionRow("toobject", 1) { Call($0, $1, $2).toObject() },
        FunctionRow("tostring", 1) { Call($0, $1, $2).toText() },
    ]
}

extension Argument {
    /// The name of its type in SQL++, for all but null and MISSING.
    fileprivate var typeName: String {
        switch type {
        case SQLITE_FLOAT: return "number"
        case SQLITE_INTEGER: return subtype == Subtype.boolean ? "boolean" : "number"
        case SQLITE_TEXT: return "string"
        default:
            if subtype == Subtype.data { return "binary" }
            switch encodedValue?.kind {
            case .array: return "array"
            case .dictionary: return "object"
            case .boolean: return "boolean"
            case .integer, .double: return "number"
            case .string: return "string"
            default: return "binary"
            }
        }
    }
}

extension Call {
    fileprivate func isType(_ predicate: (String) -> Bool) {
        if propagates() { return }
        set(predicate(self[0].typeName))
    }

    fileprivate func toArray() {
        let argument = self[0]
        if argument.isMissing || argument.isNull || argument.array != nil { return set(argument) }
        encode { encoder in
            encoder.beginArray()
            write(argument, to: encoder)
            encoder.endArray()
        }
    }

    fileprivate func toAtom() {
        if propagates() { return }
        let argument = self[0]
        guard argument.isBlob || argument.type == SQLITE_NULL, argument.subtype != Subtype.data else { return set(argument) }
        guard let value = argument.encodedValue else { return setNull() }
        if let array = value.array {
            array.count == 1 ? set(array[0]) : setNull()
        } else if let dictionary = value.dictionary {
            var pairs = dictionary.makeIterator()
            if let only = pairs.next(), pairs.next() == nil { set(only.value) } else { setNull() }
        } else {
            set(argument)
        }
    }

    fileprivate func toObject() {
        let argument = self[0]
        if argument.isMissing || argument.isNull || argument.encodedValue?.dictionary != nil { return set(argument) }
        FleeceData.emptyDictionary.withRoot { set(encoding: $0) }
    }

    fileprivate func toNumber() {
        let argument = self[0]
        if argument.isMissing || argument.isNumber || argument.isNull { return set(argument) }
        guard let text = argument.text else { return setNull() }
        if let integer = Call.integer(text) { return set(integer) }
        // SQLite puts a NUL behind every text.
        let number = text.baseAddress.map { strtod($0.assumingMemoryBound(to: CChar.self), nil) } ?? 0
        number.isNaN ? setNull() : set(number)
    }

    /// An integer in decimal with blanks around it, and nothing else.
    private static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        var digits = text[...]
        while let first = digits.first, isBlank(first) { digits = digits.dropFirst() }
        while let last = digits.last, isBlank(last) { digits = digits.dropLast() }
        let sign = digits.first
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { digits = digits.dropFirst() }
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte - 0x30)
            let (sum, tooLarge2) =
                sign == UInt8(ascii: "-") ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            if tooLarge || tooLarge2 { return nil }
            value = sum
        }
        return value
    }

    fileprivate func toText() {
        let argument = self[0]
        switch argument.type {
        case SQLITE_INTEGER, SQLITE_FLOAT:
            let output = database.text
            output.buffer.removeAll()
            append(argument, to: &output.buffer)
            set(text: output.buffer.bytes)
        case SQLITE_TEXT: set(argument)
        case SQLITE_BLOB: setNull()
        default: argument.isMissing ? setMissing() : setNull()
        }
    }

    /// Appends an argument's text: that of a number or boolean, a string as it is, all else as JSON.
    func append(_ argument: Argument, to buffer: inout ByteBuffer) {
        switch argument.type {
        case SQLITE_TEXT: argument.text.map { buffer.append($0) }
        case SQLITE_INTEGER where argument.subtype == Subtype.boolean: buffer.append(argument.int64 != 0 ? "true" : "false")
        case SQLITE_INTEGER where argument.subtype == Subtype.unsigned: buffer.append(decimal: UInt64(bitPattern: argument.int64))
        case SQLITE_INTEGER: buffer.append(decimal: argument.int64)
        case SQLITE_FLOAT: JSONWriter.write(double: sqlite3_value_double(argument.value), to: &buffer)
        default:
            if argument.isNull { return buffer.append("null") }
            guard let value = argument.encodedValue else { return }
            JSONWriter.write(value, keys: database.sharedKeys, to: &buffer)
        }
    }
}
