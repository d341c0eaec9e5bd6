import CBLFleece

/// What a document may be called, and what may be in it.
package enum DocumentRules {
    package static let longestID = 240
    /// Sequences count changes, and no collection ever comes near this one. Those beyond it are in damaged files.
    static let highestSequence: UInt64 = 1 << 62
    /// Properties that name what is not in the body.
    static let reservedKeys: [StaticString] = ["_id", "_rev", "_deleted"]

    /// Refuses IDs that the vendor's library would refuse.
    package static func check(id: String) throws(StoreError) {
        var id = id
        let reason = id.withUTF8 { problem(withID: UnsafeRawBufferPointer($0)) }
        if let reason { throw StoreError(.invalidDocument, "\"\(id)\" cannot be a document ID: \(reason)") }
    }

    /// What is wrong with an ID, given as bytes that may come from anywhere; nil if nothing is.
    package static func problem(withID bytes: UnsafeRawBufferPointer) -> String? {
        guard let first = bytes.first else { return "it is empty" }
        guard bytes.count <= longestID else { return "it is longer than \(longestID) bytes" }
        guard first != UInt8(ascii: "_") else { return "it begins with an underscore" }
        var isASCII = true
        for byte in bytes {
            if byte < 0x20 { return "it holds a control character" }
            if byte >= 0x80 { isASCII = false }
        }
        guard isASCII || String(validating: bytes, as: UTF8.self) != nil else { return "it is not valid UTF-8" }
        return nil
    }

    /// What is wrong with a body; nil if nothing is. Hot: asked for every document that is saved.
    static func problem(withBody root: Value, _ keys: SharedKeys) -> String? {
        guard let dictionary = root.dictionary else { return "a document must be an object" }
        for (key, value) in dictionary {
            guard let name = key.keyBytes(keys) else { return "a property has no name" }
            if name.count <= 8 {
                if name.isEmpty { return "a property has an empty name" }
                if name[0] == UInt8(ascii: "_") {
                    for reserved in reservedKeys where name.elementsEqual(reserved.utf8Bytes) {
                        return "the property \"\(reserved)\" is reserved: it is no part of a document's body"
                    }
                }
            }
            if value.isUndefined { return "the property \"\(String(decoding: name, as: UTF8.self))\" has no value" }
        }
        return nil
    }
}
