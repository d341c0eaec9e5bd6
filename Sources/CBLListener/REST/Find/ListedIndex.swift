import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLReplication
import CBLStore

/// A value index as CouchDB's clients know it: by a design document and a name, with fields. Nothing is kept of it but the index: what the design document
/// is called stands in front of its name, `hotels/byStars`, unless both are the same.
struct ListedIndex {
    struct Name {
        let stored: String

        init(stored: String) { self.stored = stored }

        init(_ name: String, design: String?) throws(RESTError) {
            let prefix = DesignDocuments.prefix
            guard let design = design.map({ $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }), design != name else {
                stored = name
                return
            }
            guard !design.isEmpty, !design.contains("/") else { throw .badRequest("\"\(design)\" names no design document") }
            stored = design + "/" + name
        }

        private var parts: (design: String, name: String) {
            guard let slash = stored.firstIndex(of: "/"), slash != stored.startIndex else { return (stored, stored) }
            return (String(stored[..<slash]), String(stored[stored.index(after: slash)...]))
        }

        var design: String { DesignDocuments.prefix + parts.design }
        var name: String { parts.name }

        /// `_design/DESIGN/json/NAME`; the first part may be left out, as CouchDB has it.
        func isNamed(byPath path: String) -> Bool { [design, parts.design].contains { path == "\($0)/json/\(name)" } }
    }

    let name: Name
    private let stored: StoredIndex

    static func all(of keyspace: Keyspace, _ snapshot: Snapshot) throws -> [ListedIndex] {
        try snapshot.indexes().filter { $0.collection == keyspace.collection && $0.kind == .value }
            .map { ListedIndex(name: Name(stored: $0.name), stored: $0) }
    }

    /// Whether somebody asks for it: `hotels`, `_design/hotels`, or one of them and its name.
    func isMeant(by wish: [String]) -> Bool {
        guard let design = wish.first, wish.count <= 2 else { return false }
        let isOfDesign = name.design == design || name.design == DesignDocuments.prefix + design
        return isOfDesign && (wish.count == 1 || wish[1] == name.name)
    }

    /// Which documents are in it; nil for all.
    var condition: QueryExpression? {
        stored.condition.flatMap { try? QueryExpression(json: ListedIndex.unmarked($0)) }
    }

    /// Whether SQLite says that it goes by this one.
    func isUsed(by plan: QueryPlan) -> Bool {
        plan.steps.contains { step in
            guard let start = step.detail.firstRange(of: "INDEX ")?.upperBound else { return false }
            let rest = step.detail[start...]
            return rest == stored.name || rest.hasPrefix(stored.name + " (")
        }
    }

    /// Nil is the one of all documents, by their IDs.
    static func write(_ index: ListedIndex?, to text: inout ByteBuffer) {
        guard let index else {
            return text.append("{\"ddoc\":null,\"name\":\"_all_docs\",\"type\":\"special\",\"def\":{\"fields\":[{\"_id\":\"asc\"}]}}")
        }
        text.append("{\"ddoc\":")
        JSONWriter.write(string: index.name.design, to: &text)
        text.append(",\"name\":")
        JSONWriter.write(string: index.name.name, to: &text)
        text.append(",\"type\":\"json\",\"def\":{\"fields\":[")
        for (place, name) in index.fields.enumerated() {
            text.append(place > 0 ? ",{" : "{")
            JSONWriter.write(string: name, to: &text)
            text.append(":\"asc\"}")
        }
        text.append("]")
        if let condition = index.stored.condition {
            // The selector is not kept: this is what it became.
            text.append(",\"where\":")
            JSONWriter.write(string: condition, to: &text)
        }
        text.append("}}")
    }

    /// A mark of the language stands before a text in newer files.
    private static func unmarked(_ text: String) -> String {
        ["=j", "=n"].contains { text.hasPrefix($0) } ? String(text.dropFirst(2)) : text
    }

    /// Of properties their paths; of anything else the text of the expression.
    private var fields: [String] {
        let text = ListedIndex.unmarked(stored.expression ?? "")
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
}
