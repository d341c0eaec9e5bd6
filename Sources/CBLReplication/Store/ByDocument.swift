/// Values by the IDs of documents, byte for byte: to a `String` é is é, written as one character or as two, and to a database these are two documents.
struct ByDocument<Value>: ExpressibleByDictionaryLiteral {
    private struct ID: Hashable, Sendable {
        let text: String

        static func == (one: ID, other: ID) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    private var entries: [ID: Value] = [:]

    init(dictionaryLiteral elements: (String, Value)...) {
        for (id, value) in elements { entries[ID(text: id)] = value }
    }

    subscript(id: String) -> Value? {
        get { entries[ID(text: id)] }
        set { entries[ID(text: id)] = newValue }
        _modify { yield &entries[ID(text: id)] }
    }

    @discardableResult
    mutating func removeValue(forKey id: String) -> Value? { entries.removeValue(forKey: ID(text: id)) }

    var isEmpty: Bool { entries.isEmpty }
    var values: some Collection<Value> { entries.values }

    /// In the order of the IDs' bytes.
    var sorted: [(id: String, value: Value)] {
        entries.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }.map { ($0.key.text, $0.value) }
    }
}

extension ByDocument: Sendable where Value: Sendable {}
