import FoundationEssentials

@testable import CBLFleece

/// The encoding of a JSON text.
func encoded(_ text: String, _ dialect: JSONDialect = .json, keys: SharedKeysBuilder? = nil) throws -> FleeceData {
    let encoder = FleeceEncoder(sharedKeys: keys)
    try JSONParser.parse(text, dialect, into: encoder)
    return try encoder.finish()
}

extension FleeceData {
    func json(keys: SharedKeys? = nil, style: JSONStyle = .compact) -> String { withRoot { $0.json(keys: keys, style: style) } }
}

/// A text after its way through an encoding.
func rewritten(_ text: String, _ dialect: JSONDialect = .json, style: JSONStyle = .compact) throws -> String {
    try encoded(text, dialect).json(style: style)
}

/// What is wrong with a text; nil if nothing is.
func jsonError(_ text: String, _ dialect: JSONDialect = .json) -> JSONError? { jsonError(Array(text.utf8), dialect) }

func jsonError(_ text: [UInt8], _ dialect: JSONDialect = .json) -> JSONError? {
    do throws(JSONError) {
        // A copy that ends where the text ends, so that reading too far would be seen by the address sanitizer.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: text)
        try JSONParser.parse(UnsafeRawBufferPointer(copy), dialect, into: FleeceEncoder())
        return nil
    } catch {
        return error
    }
}
