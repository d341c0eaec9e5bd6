import CBLFleece
import CBLSystemSQLite

/// The array functions of SQL++, and the constructors of arrays and dictionaries.
enum ArrayFunctions {
    static let rows = [
        FunctionRow("array_of", -1) { Call($0, $1, $2).makeArray() },
        FunctionRow("dict_of", -1) { Call($0, $1, $2).makeDictionary() },
        FunctionRow("array_length", 1) { (context, count, values) in
            let call = Call(context, count, values)
            call.set(Int64(call[0].array?.count ?? 0))
        },
        FunctionRow("array_count", 1) { (context, count, values) in
            let call = Call(context, count, values)
            call.set(Int64(call[0].array?.count { !$0.isNull } ?? 0))
        },
        FunctionRow("array_contains", 2) { Call($0, $1, $2).arrayContains() },
        FunctionRow("array_sum", 1) { (context, count, values) in
            let call = Call(context, count, values)
            call.set(call[0].array?.reduce(0) { $0 + $1.coerced } ?? 0)
        },
        FunctionRow("array_avg", 1) { (context, count, values) in
            let call = Call(context, count, values)
            guard let array = call[0].array, !array.isEmpty else { return call.set(0.0) }
            call.set(array.reduce(0) { $0 + $1.coerced } / Double(array.count))
        },
        FunctionRow("array_max", 1) { Call($0, $1, $2).extremum(max) },
        FunctionRow("array_min", 1) { Call($0, $1, $2).extremum(min) },
        FunctionRow("array_ifnull", 1) { (context, count, values) in
            let call = Call(context, count, values)
            guard let item = call[0].array?.first(where: { !$0.isNull }) else { return call.setNull() }
            call.set(item)
        },
    ]
}

extension Argument {
    /// The items, if this is an array.
    var array: ArrayView? { encodedValue?.array }
}

extension Value {
    /// The number that this item counts as in a sum.
    fileprivate var coerced: Double { double ?? (boolean == true ? 1 : 0) }
}

extension Call {
    fileprivate func makeArray() {
        encode { encoder in
            encoder.beginArray()
            for index in 0..<count where encoder.byteCount <= byteLimit { write(self[index], to: encoder) }
            encoder.endArray()
        }
    }

    fileprivate func makeDictionary() {
        guard count.isMultiple(of: 2) else { return fail("object() must have an even number of arguments") }
        for index in stride(from: 0, to: count, by: 2) where self[index].text == nil { return fail("a key of object() must be a string") }
        encode { encoder in
            encoder.beginDictionary()
            for index in stride(from: 0, to: count, by: 2) where encoder.byteCount <= byteLimit {
                guard !self[index + 1].isMissing, let key = self[index].text else { continue }
                encoder.writeKey(key)
                write(self[index + 1], to: encoder)
            }
            encoder.endDictionary()
        }
    }

    fileprivate func arrayContains() {
        if self[0].isMissing { return }
        guard let value = self[0].encodedValue, value.array != nil else { return setNull() }
        contains(value, self[1])
    }

    fileprivate func extremum(_ better: (Double, Double) -> Double) {
        guard let array = self[0].array, let first = array.first else { return setNull() }
        set(array.dropFirst().reduce(first.coerced) { better($0, $1.coerced) })
    }
}

/// `array_agg(x)`: the values of all rows as one array.
enum ArrayAggregate {
    static func register(on handle: OpaquePointer, _ context: UnsafeMutableRawPointer) -> Int32 {
        sqlite3_create_function_v2(
            handle, "array_agg", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, context, nil,
            { context, count, values in
                let call = Call(context, count, values)
                guard let encoder = call.state(or: ArrayAggregate.begin) else { return }
                call.write(call[0], to: encoder)
                if encoder.byteCount > call.byteLimit { call.failTooBig() }
            },
            { context in
                let call = Call(context, 0, nil)
                guard let encoder = call.takeState(FleeceEncoder.self) else {
                    return call.encode {
                        $0.beginArray()
                        $0.endArray()
                    }
                }
                encoder.endArray()
                do { try encoder.withFinished { call.set(blob: $0) } } catch { call.setMissing() }
            }, nil)
    }

    private static func begin() -> FleeceEncoder {
        let encoder = FleeceEncoder()
        encoder.copiesLikeReference = true
        encoder.beginArray()
        return encoder
    }
}
