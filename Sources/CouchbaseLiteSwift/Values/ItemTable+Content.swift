internal import CBLFleece

extension ItemTable {
    /// What a program puts in.
    init(_ dictionary: [String: Any]) {
        self.init()
        for (name, value) in dictionary { set(name, Item(value)) }
    }

    /// The properties of a JSON object.
    init(json: String) throws {
        self.init()
        let stored = try StoredValues.parsing(json)
        guard let dictionary = stored.root.dictionary else { throw libraryError(CBLError.invalidJSON, "The JSON is not an object.") }
        for (key, value) in dictionary {
            if let name = key.keyString(nil) { set(name, Item(value, in: stored, isMutable: true)) }
        }
    }
}

extension [Item] {
    /// The values of a JSON array.
    init(json: String) throws {
        let stored = try StoredValues.parsing(json)
        guard let array = stored.root.array else { throw libraryError(CBLError.invalidJSON, "The JSON is not an array.") }
        self = array.map { Item($0, in: stored, isMutable: true) }
    }
}
