import CBLFleece

/// Puts a view into the JSON of a design document, or takes it out. What else is there stays: filters, and views of another form.
struct DesignDocumentEdit {
    private let root: FleeceData

    /// Nil for a document that is not there yet.
    init(_ name: String, _ json: [UInt8]?) throws {
        guard let json else {
            root = .emptyDictionary
            return
        }
        // Refuses what is no JSON, and views in other languages.
        _ = try DesignDocument(name, json: json)
        let encoder = FleeceEncoder()
        try json.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
        root = try encoder.finish()
    }

    /// The JSON with a view in the place of the one of that name; nil if there is nothing left in it.
    func json(_ name: String, _ view: ScriptedView?) throws -> [UInt8]? {
        try root.withRoot { root in
            let views = members(of: root.dictionary?.value(forKey: "views", nil) ?? .undefined, without: [name])
            let others = members(of: root, without: ["views", "language"])
            if view == nil, views.isEmpty, others.isEmpty { return nil }
            let encoder = FleeceEncoder()
            encoder.beginDictionary()
            write(others, to: encoder)
            encoder.writeKey("language")
            encoder.write("javascript")
            encoder.writeKey("views")
            encoder.beginDictionary()
            write(views, to: encoder)
            if let view {
                encoder.writeKey(name)
                write(view, to: encoder)
            }
            encoder.endDictionary()
            encoder.endDictionary()
            return try encoder.withFinished { Array((Value(root: $0) ?? .undefined).json().utf8) }
        }
    }

    private typealias Member = (name: String, value: Value)

    private func members(of value: Value, without names: [String]) -> [Member] {
        var members: [Member] = []
        guard let dictionary = value.dictionary else { return members }
        for (key, value) in dictionary {
            guard let name = key.string, !names.contains(name) else { continue }
            members.append((name, value))
        }
        return members
    }

    private func write(_ members: [Member], to encoder: FleeceEncoder) {
        for member in members {
            encoder.writeKey(member.name)
            encoder.write(member.value, keys: nil)
        }
    }

    private func write(_ view: ScriptedView, to encoder: FleeceEncoder) {
        encoder.beginDictionary()
        encoder.writeKey("map")
        encoder.write(view.map)
        let options = [
            ("reduce", view.reduce), ("documentType", view.documentType),
            ("collation", view.collation == .unicode ? nil : view.collation.optionName),
            ("collection", view.collection.isDefault ? nil : view.collection.description),
        ]
        for case (let key, let value?) in options {
            encoder.writeKey(key)
            encoder.write(value)
        }
        encoder.endDictionary()
    }
}
