import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLReplication
import CBLStore

/// `_find` and `_explain`: CouchDB's queries in JSON, run as SQL++ and with the same indexes.
enum FindRequests {
    static func find(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        var query = try call.object().withRoot { try FindQuery($0) }
        let answer = JSONAnswer(call)
        let options = try DocumentOptions(call.parameters)
        let limits = QueryOptions(timeLimit: call.service.settings.queryTimeLimit)
        try keyspace.database.read { snapshot in
            let compiled = try compile(&query, keyspace, snapshot, limits)
            let rows = try compiled.run(on: snapshot, options: limits)
            let writer = DocumentWriter(options, snapshot, keyspace.database.blobs)
            answer.text.append("{\"docs\":[\n")
            while try rows.next() {
                guard let id = rows[0].string, let document = try snapshot.document(id, in: keyspace.collection) else { continue }
                answer.separate()
                try write(document, writer, query.fields, to: &answer.text)
                guard answer.text.count <= mostCollected else { throw RESTError.tooLarge("this is too much for one answer: ask for fewer") }
            }
            answer.text.append("\n],\"bookmark\":")
            let place = rows.count > 0 ? "\(query.skip + rows.count)" : "nil"
            JSONWriter.write(string: place, to: &answer.text)
            if try !compiled.explain(on: snapshot).scannedCollections.isEmpty {
                answer.text.append(",\"warning\":\"No matching index found, create an index to optimize query time.\"")
            }
            answer.text.append("}")
        }
        try answer.end()
    }

    private static let mostCollected = 256 << 20

    private static func compile(_ query: inout FindQuery, _ keyspace: Keyspace, _ snapshot: Snapshot, _ limits: QueryOptions) throws
        -> Query
    {
        // Of an index of some documents that somebody asks for, these.
        if !query.wish.isEmpty,
            let condition = try ListedIndex.all(of: keyspace, snapshot).first(where: { $0.isMeant(by: query.wish) && $0.condition != nil })?
                .condition
        {
            query.condition = Selector.both(query.condition, condition)
        }
        let collection = keyspace.collection
        let plain = try Query(query.select(from: collection), on: snapshot)
        guard query.isSorted else { return plain }
        // Where all documents are looked at, they are sorted as well, and it does not matter by what.
        let needsTypes =
            try !plain.explain(on: snapshot).scannedCollections.isEmpty
            || query.typeSelects(from: collection).contains { try Query($0, on: snapshot).run(on: snapshot, options: limits).next() }
        return needsTypes ? try Query(query.select(from: collection, byTypes: true), on: snapshot) : plain
    }

    private static func write(_ document: Document, _ writer: DocumentWriter, _ fields: FieldList?, to text: inout ByteBuffer) throws {
        guard let fields else { return try writer.write(document, to: &text) }
        var whole = ByteBuffer(capacity: 1024)
        try writer.write(document, to: &whole)
        try RESTCall.parse(whole.withBytes { Array($0) }).withRoot { root in
            if let object = root.dictionary { fields.write(object, to: &text) }
        }
    }

    static func explain(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let asked = try call.object()
        var query = try asked.withRoot { try FindQuery($0) }
        let limits = QueryOptions(timeLimit: call.service.settings.queryTimeLimit)
        let (plan, index) = try keyspace.database.read { snapshot in
            let plan = try compile(&query, keyspace, snapshot, limits).explain(on: snapshot)
            return (plan, try ListedIndex.all(of: keyspace, snapshot).first { $0.isUsed(by: plan) })
        }
        try call.answer { object in
            object.add("dbname", call.place.database)
            object.key("index")
            ListedIndex.write(index, to: &object.buffer)
            object.add("partitioned", false)
            try asked.withRoot { root in
                object.key("selector")
                try NormalSelector(root.dictionary?.value(forKey: "selector", nil)).write(to: &object.buffer)
                object.add("opts", object: { write(options: query, root, to: &$0) })
            }
            object.add("limit", query.limit)
            object.add("skip", query.skip)
            write(fieldsOf: query, to: &object)
            // What CouchDB says of its own workings would mean nothing here; this is how the query is run.
            object.add("scans", list: plan.scannedCollections)
            object.key("query")
            plan.append(to: &object.buffer)
        }
    }

    private static func write(fieldsOf query: FindQuery, to object: inout JSONObjectWriter) {
        if query.fields == nil { object.add("fields", "all_fields") } else { object.add("fields", list: query.fieldNames) }
    }

    /// Those of CouchDB, as they are meant here.
    private static func write(options query: FindQuery, _ root: Value, to object: inout JSONObjectWriter) {
        object.add("use_index", list: query.wish)
        object.add("bookmark", root.dictionary?.value(forKey: "bookmark", nil)?.string ?? "nil")
        object.add("limit", query.limit)
        object.add("skip", query.skip)
        object.key("sort")
        object.buffer.append("{")
        for (place, item) in query.order.enumerated() {
            if place > 0 { object.buffer.append(",") }
            JSONWriter.write(string: item.name, to: &object.buffer)
            object.buffer.append(":")
            JSONWriter.write(string: item.direction, to: &object.buffer)
        }
        object.buffer.append("}")
        write(fieldsOf: query, to: &object)
        object.add("partition", "")
        object.add("r", 1)
        object.add("conflicts", false)
        object.add("stale", false)
        object.add("update", true)
        object.add("stable", false)
        object.add("execution_stats", false)
        object.add("allow_fallback", true)
    }
}
