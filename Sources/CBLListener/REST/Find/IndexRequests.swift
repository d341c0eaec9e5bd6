import CBLBase
import CBLFleece
import CBLQuery
import CBLReplication
import CBLStore

/// `_index`: the value indexes of a collection, as CouchDB's clients make and list them. Other programs see them as ordinary indexes.
enum IndexRequests {
    static func list(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let indexes = try keyspace.database.read { try ListedIndex.all(of: keyspace, $0) }
        var text = ByteBuffer()
        text.append("{\"total_rows\":")
        text.append(decimal: UInt64(indexes.count + 1))
        text.append(",\"indexes\":[\n")
        ListedIndex.write(nil, to: &text)
        for index in indexes {
            text.append(",\n")
            ListedIndex.write(index, to: &text)
        }
        text.append("\n]}")
        try call.answer(json: text.bytes)
    }

    /// `{"index": {"fields": ["stars", "address.city"]}, "name": "byStars", "ddoc": "hotels"}`
    static func create(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let (index, text, condition) = try call.object().withRoot { root in
            let members = root.dictionary
            if let type = members?.value(forKey: "type", nil)?.string, type != "json" {
                throw RESTError.badRequest("indexes of type \"\(type)\" are not made here")
            }
            guard let definition = members?.value(forKey: "index", nil)?.dictionary,
                let fields = definition.value(forKey: "fields", nil)?.array, !fields.isEmpty
            else { throw RESTError.badRequest("an index has fields") }
            let text = try expressions(fields)
            let partial = definition.value(forKey: "partial_filter_selector", nil).flatMap { $0.isNull ? nil : $0 }
            let condition = try partial.map { try Selector.condition($0, tellsBooleans: false).jsonForm() }
            let name = members?.value(forKey: "name", nil)?.string ?? automaticName(text + (condition ?? ""))
            return (try ListedIndex.Name(name, design: members?.value(forKey: "ddoc", nil)?.string), text, condition)
        }
        let name = index.stored
        let change = try keyspace.database.write { transaction in
            // Names are those of the whole database: what somebody else has made stays.
            if let other = try transaction.indexes().first(where: { $0.name == name }) {
                let isSame = other.collection == keyspace.collection && other.kind == .value
                guard isSame else { throw RESTError.conflict("there is another index of that name") }
            }
            return try transaction.createIndex(
                IndexDefinition(name: name, in: keyspace.collection, .value, text, where: condition, language: .json))
        }
        try call.answer { object in
            object.add("result", change == .unchanged ? "exists" : "created")
            object.add("id", index.design)
            object.add("name", index.name)
        }
    }

    private static func automaticName(_ text: String) -> String {
        var sha1 = SHA1()
        Array(text.utf8).withUnsafeBytes { sha1.update($0) }
        return "fields-" + sha1.finish().withBytes { Hex.text(of: $0) }.prefix(16)
    }

    private static func expressions(_ fields: ArrayView) throws -> String {
        var text = ByteBuffer()
        text.append("[")
        for (place, field) in fields.enumerated() {
            let entry = field.dictionary?.first { _ in true }
            guard let name = field.string ?? entry?.key.string else { throw RESTError.badRequest("fields has names of properties") }
            // An index is read in both directions, if that is the same for all of it.
            text.append(place > 0 ? ",[\".\"" : "[\".\"")
            for part in try Selector.path(name) {
                text.append(",")
                JSONWriter.write(string: part, to: &text)
            }
            text.append("]")
        }
        text.append("]")
        return text.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// `/db/_index/DESIGN/json/NAME`
    static func delete(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let path = call.place.rest
        let index = try keyspace.database.read { try ListedIndex.all(of: keyspace, $0) }.first { $0.name.isNamed(byPath: path) }
        guard let index else { throw RESTError.notFound("no such index") }
        try keyspace.database.write { try $0.dropIndex(index.name.stored) }
        try call.answerOK()
    }
}
