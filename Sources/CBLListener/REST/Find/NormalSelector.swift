import CBLBase
import CBLFleece
import CBLReplication

/// A selector in full words, as CouchDB tells it back: each part has one property and one operator, `{"stars": {"$eq": 4}}`, and what has to hold together
/// stands in `$and`.
struct NormalSelector {
    private indirect enum Part {
        /// A property and what is asked of it; without a name, of the item that is looked at.
        case comparison(String?, String, Value)
        case all(String, [Part])
        case not(Part)
        case everything
    }

    private let root: Part

    /// It has been read as a `Selector` before, so that it is not nested too deep.
    init(_ value: Value?) throws(RESTError) {
        guard let object = value?.dictionary else { throw .badRequest("the selector is missing, or is no object") }
        root = NormalSelector.part(object, nil)
    }

    private static func part(_ object: DictionaryView, _ field: String?) -> Part {
        let parts = object.map { key, value in part(key.string ?? "", value, field) }
        return parts.count > 1 ? .all("$and", parts) : parts.first ?? .everything
    }

    private static func part(_ name: String, _ value: Value, _ field: String?) -> Part {
        guard name.hasPrefix("$") else {
            let path = field.map { $0 + "." + name } ?? name
            guard let object = value.dictionary, !object.isEmpty else { return .comparison(path, "$eq", value) }
            return part(object, path)
        }
        switch name {
        case "$and", "$or", "$nor":
            return .all(name, value.array.map { array in array.compactMap { $0.dictionary.map { part($0, field) } } } ?? [])
        case "$not": return value.dictionary.map { .not(part($0, field)) } ?? .everything
        default: return .comparison(field, name, value)
        }
    }

    func write(to text: inout ByteBuffer) { NormalSelector.write(root, to: &text) }

    private static func write(_ part: Part, to text: inout ByteBuffer) {
        text.append("{")
        switch part {
        case .everything: break
        case .comparison(let field, let name, let value):
            if let field {
                JSONWriter.write(string: field, to: &text)
                text.append(":{")
            }
            JSONWriter.write(string: name, to: &text)
            text.append(":")
            JSONWriter.write(value, keys: nil, to: &text)
            if field != nil { text.append("}") }
        case .all(let name, let parts):
            JSONWriter.write(string: name, to: &text)
            text.append(":[")
            for (place, part) in parts.enumerated() {
                if place > 0 { text.append(",") }
                write(part, to: &text)
            }
            text.append("]")
        case .not(let part):
            text.append("\"$not\":")
            write(part, to: &text)
        }
        text.append("}")
    }
}
