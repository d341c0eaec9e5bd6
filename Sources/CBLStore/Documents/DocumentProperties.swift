import CBLFleece

/// Properties with the table of their keys: all that it takes to read them, on any thread, after the snapshot that they come from.
package struct DocumentProperties: Sendable, Equatable {
    package let data: FleeceData
    /// Nil if the keys are strings.
    package let keys: SharedKeys?

    package init(_ data: FleeceData, keys: SharedKeys? = nil) {
        self.data = data
        self.keys = keys
    }

    package init(json: String) throws {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        self.init(try encoder.finish())
    }

    package func withRoot<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
        try data.withRoot(body)
    }

    package func json(style: JSONStyle = .compact) -> String { withRoot { $0.json(keys: keys, style: style) } }

    /// Whether they say the same.
    package static func == (one: DocumentProperties, other: DocumentProperties) -> Bool {
        one.withRoot { root in other.withRoot { root.isEqual(to: $0, one.keys, other.keys) } }
    }
}

extension Transaction {
    /// The same properties, as this database stores them.
    package func adopt(_ properties: DocumentProperties) throws -> FleeceData {
        encoder.reset()
        properties.withRoot { encoder.write($0, keys: properties.keys) }
        return try encoder.finish()
    }
}
