import CBLFleece
import CBLSystemSQLite

extension Call {
    /// Makes a Fleece value the result. Nil and what is damaged are MISSING.
    @inline(__always)
    func set(_ value: Value?) { set(value, nil) }

    /// `database` is the context where SQLite does not hand it out, that is outside of a scalar function.
    @inline(__always)
    func set(_ value: Value?, _ database: FunctionContext?) {
        guard let value else { return setMissing() }
        switch value.kind {
        case .undefined: setMissing()
        case .null: setNull()
        case .boolean: set(value.boolean ?? false)
        case .integer:
            guard let bits = value.integerBits else { return setMissing() }
            sqlite3_result_int64(context, Int64(bitPattern: bits))
            if value.isUnsigned { sqlite3_result_subtype(context, Subtype.unsigned) }
        case .double:
            guard let double = value.double else { return setMissing() }
            set(double)
        case .string:
            guard let bytes = value.stringBytes else { return setMissing() }
            set(text: bytes)
        case .data, .array, .dictionary: set(encoding: value, database ?? self.database)
        }
    }

    /// Makes an encoding of its own of a value the result. Its dictionaries' keys are strings.
    func set(encoding value: Value) { set(encoding: value, database) }

    func set(encoding value: Value, _ database: FunctionContext) {
        encode(database) { $0.write(value, keys: database.sharedKeys) }
    }

    /// Makes what `write` writes the result; nothing, if that is damaged.
    func encode(_ write: (FleeceEncoder) -> Void) { encode(database, write) }

    private func encode(_ database: FunctionContext, _ write: (FleeceEncoder) -> Void) {
        let encoder = database.encoder
        encoder.reset()
        write(encoder)
        do { try encoder.withFinished { set(blob: $0) } } catch { setMissing() }
    }

    /// Writes an argument into an encoding; MISSING is left out.
    func write(_ argument: Argument, to encoder: FleeceEncoder) {
        switch argument.type {
        case SQLITE_INTEGER:
            switch argument.subtype {
            case Subtype.boolean: encoder.write(argument.int64 != 0)
            case Subtype.unsigned where argument.int64 < 0: encoder.write(UInt64(bitPattern: argument.int64))
            default: encoder.write(argument.int64)
            }
        case SQLITE_FLOAT: encoder.write(sqlite3_value_double(argument.value))
        case SQLITE_TEXT: argument.text.map(encoder.writeString)
        case SQLITE_BLOB:
            if argument.isNull {
                encoder.writeNull()
            } else if argument.subtype == Subtype.data {
                argument.blob.map(encoder.writeData)
            } else {
                encoder.write(argument.encodedValue ?? .undefined, keys: database.sharedKeys)
            }
        default:
            if let value = argument.pointer { encoder.write(value, keys: database.sharedKeys) }
        }
    }

    /// The compiled form of a path argument, kept by the statement; nil if it is NULL, or no path, which is then reported.
    @inline(__always)
    private func path(_ index: Int) -> Unmanaged<KeyPath>? {
        if let kept = sqlite3_get_auxdata(context, Int32(index)) { return Unmanaged<KeyPath>.fromOpaque(kept) }
        return compilePath(index)
    }

    private func compilePath(_ index: Int) -> Unmanaged<KeyPath>? {
        guard let text = self[index].text else {
            if self[index].type != SQLITE_NULL { fail("a property path must be text") }
            return nil
        }
        do {
            let path = Unmanaged.passRetained(try database.path(text))
            sqlite3_set_auxdata(context, Int32(index), path.toOpaque()) {
                if let object = $0 { Unmanaged<KeyPath>.fromOpaque(object).release() }
            }
            // When memory is short, it is gone already.
            return sqlite3_get_auxdata(context, Int32(index)) == nil ? nil : path
        } catch {
            fail(error.description)
            return nil
        }
    }

    /// What a call with a value and a path is about.
    enum Property {
        case value(Value)
        case missing
        /// An error has been reported.
        case failed
    }

    /// The property of a document body (argument 0) at a path (argument 1). A body that is NULL is an empty document.
    @inline(__always)
    func property() -> Property {
        guard let root = body(self[0]) else { return .missing }
        return property(of: root)
    }

    /// The property of a value at the path that argument 1 gives; the value itself if that is NULL.
    @inline(__always)
    func property(of root: Value) -> Property {
        guard let path = path(1) else { return self[1].type == SQLITE_NULL ? .value(root) : .failed }
        return unretainedDatabase._withUnsafeGuaranteedRef { database in
            path._withUnsafeGuaranteedRef { path in
                let value =
                    if let keys = database.unretainedKeys {
                        keys._withUnsafeGuaranteedRef { path.evaluate(in: root, keys: $0) }
                    } else {
                        path.evaluate(in: root, keys: nil)
                    }
                return value.map(Property.value) ?? .missing
            }
        }
    }

    /// The root of a document body; nil if it is damaged or no body at all.
    @inline(__always)
    private func body(_ argument: Argument) -> Value? {
        switch argument.type {
        case SQLITE_BLOB:
            guard let start = sqlite3_value_blob(argument.value) else { return Call.emptyDocument }
            let bytes = current(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument.value))))
            return bytes.isEmpty ? Call.emptyDocument : Value(root: bytes)
        // An item that `fl_each` lends looks like NULL.
        case SQLITE_NULL: return argument.pointer ?? Call.emptyDocument
        default: return nil
        }
    }

    /// The current revision's body within what is stored as one.
    @inline(__always)
    func current(_ body: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        unretainedDatabase._withUnsafeGuaranteedRef { database in
            database.currentBody == nil ? body : database.currentBody?(body) ?? body
        }
    }

    private static var emptyDocument: Value? { Value(root: UnsafeRawBufferPointer(start: ("p\0" as StaticString).utf8Start, count: 2)) }
}
