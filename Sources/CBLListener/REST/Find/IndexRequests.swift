import CBLBase
import CBLFleece
import CBLQuery
import CBLReplication
import CBLStore

/// `_index`: the value indexes of a collection, as CouchDB's clients make and list them. Other programs see them as ordinary indexes.
enum IndexRequests {
    static func list(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let indexes = try keyspace.database.read { try $0.indexes() }.filter { $0.collection == keyspace.collection && $0.kind == .value }
        var text = ByteBuffer()
        text.append("{\"total_rows\":")
        text.append(decimal: UInt64(indexes.count + 1))
        text.append(",\"indexes\":[\n{\"ddoc\":null,\"name\":\"_all_docs\",\"type\":\"special\",\"def\":{\"fields\":[{\"_id\":\"asc\"}]}}")
        for index in indexes {
            text.append(",\n{\"ddoc\":")
            JSONWriter.write(string: "_design/" + index.name, to: &text)
            text.append(",\"name\":")
            JSONWriter.write(string: index.name, to: &text)
            text.append(",\"type\":\"json\",\"def\":{\"fields\":[")
            for (place, name) in names(of: index).enumerated() {
                text.append(place > 0 ? ",{" : "{")
                JSONWriter.write(string: name, to: &text)
                text.append(":\"asc\"}")
            }
            text.append("]}}")
        }
        text.append("\n]}")
        try call.answer(json: text.bytes)
    }

    /// Of properties their paths; of anything else the text of the expression.
    private static func names(of index: StoredIndex) -> [String] {
        // A mark of the language stands before it in newer files.
        var text = index.expression ?? ""
        for mark in ["=j", "=n"] where text.hasPrefix(mark) { text.removeFirst(mark.count) }
        guard let data = try? RESTCall.parse(Array(text.utf8)) else { return [text] }
        return data.withRoot { root in
            let list = root.array ?? root.dictionary?.value(forKey: "WHAT", nil)?.array
            return list?.map { item in
                guard let parts = item.array, let first = parts.first?.string, first.hasPrefix(".") else { return item.json() }
                let names = (first == "." ? [] : [String(first.dropFirst())]) + parts.dropFirst().compactMap(\.string)
                return names.joined(separator: ".")
            } ?? [text]
        }
    }

    /// `{"index": {"fields": ["stars", "address.city"]}, "name": "byStars"}`
    static func create(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let (name, text) = try call.object().withRoot { root in
            let members = root.dictionary
            if let type = members?.value(forKey: "type", nil)?.string, type != "json" {
                throw RESTError.badRequest("indexes of type \"\(type)\" are not made here")
            }
            guard let definition = members?.value(forKey: "index", nil)?.dictionary,
                let fields = definition.value(forKey: "fields", nil)?.array, !fields.isEmpty
            else { throw RESTError.badRequest("an index has fields") }
            guard definition.value(forKey: "partial_filter_selector", nil)?.dictionary?.isEmpty ?? true else {
                throw RESTError.unsupported("an index of some documents alone is made with \"cblite mkindex --where\"")
            }
            let text = try expressions(fields)
            return (members?.value(forKey: "name", nil)?.string ?? automaticName(text), text)
        }
        let change = try keyspace.database.write { transaction in
            // Names are those of the whole database: what somebody else has made stays.
            if let other = try transaction.indexes().first(where: { $0.name == name }) {
                let isSame = other.collection == keyspace.collection && other.kind == .value
                guard isSame else { throw RESTError.conflict("there is another index of that name") }
            }
            return try transaction.createIndex(IndexDefinition(name: name, in: keyspace.collection, .value, text, language: .json))
        }
        try call.answer { object in
            object.add("result", change == .unchanged ? "exists" : "created")
            object.add("id", "_design/" + name)
            object.add("name", name)
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
        let name = call.place.rest.split(separator: "/").last.map(String.init) ?? ""
        let exists = try keyspace.database.read { try $0.indexes() }.contains { $0.name == name && $0.collection == keyspace.collection }
        guard exists else { throw RESTError.notFound("no such index") }
        try keyspace.database.write { try $0.dropIndex(name) }
        try call.answerOK()
    }
}
