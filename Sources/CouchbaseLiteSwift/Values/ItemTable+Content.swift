internal import CBLFleece

extension ItemTable {
    /// What a program puts in.
    init(_ dictionary: [String: Any]) {
        self.init()
        for (name, value) in dictionary { set(name, Item(value)) }
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
