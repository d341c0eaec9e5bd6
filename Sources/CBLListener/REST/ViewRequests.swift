import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport
import CBLViews

/// Requests for the rows of views: those of design documents, and views that come with the request.
enum ViewRequests {
    static func query(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let posted = call.request.method == "POST" ? try call.objectIfAny() : nil
        var found = try view(call.place.rest, call, keyspace)
        if found == nil, posted != nil, call.place.rest.hasSuffix("/queries") {
            found = try view(String(call.place.rest.dropLast("/queries".count)), call, keyspace)
        }
        guard let view = found else { throw RESTError.missing }
        try answer(call, keyspace, view, keyspace.served.views, posted)
    }

    /// The program's own of that name, or that of a design document.
    private static func view(_ name: String, _ call: RESTCall, _ keyspace: Keyspace) throws -> ViewDefinition? {
        let name = call.place.document.dropFirst(DesignDocuments.prefix.count) + "/" + name
        if let view = keyspace.served.share.ownView?(keyspace.collection, String(name)) { return view }
        guard keyspace.hasDesignDocuments else { return nil }
        return try keyspace.database.read { try $0.scriptedView(String(name)) }.map { try definition(of: $0) }
    }

    /// `{"map":"function(doc){…}","reduce":"_count"}`, mapped for this request alone.
    static func queryOnce(_ call: RESTCall) throws {
        guard call.request.headers["Content-Type"]?.hasPrefix("application/json") ?? false else {
            throw RESTError.badContentType("a view is sent as application/json")
        }
        let keyspace = try call.keyspace()
        let posted = try call.object()
        let view = try posted.withRoot { root in
            guard let map = root.dictionary?.value(forKey: "map", nil)?.string else {
                throw RESTError.badRequest("a view has a map function")
            }
            var view = ScriptedView("temporary/view", map: map, reduce: root.dictionary?.value(forKey: "reduce", nil)?.string)
            view.collection = keyspace.collection
            return view
        }
        let index = ViewIndex(keyspace.database, .temporary)
        defer { index.close() }
        try answer(call, keyspace, definition(of: view), index, posted)
    }

    /// What a design document says of its views.
    static func information(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let id = call.place.document
        guard try keyspace.isBeside(id), try keyspace.database.read({ try $0.besideDocument(id) }) != nil else { throw RESTError.missing }
        try call.answer { object in
            object.add("name", String(id.dropFirst(DesignDocuments.prefix.count)))
            object.add(
                "view_index",
                object: { index in
                    index.add("language", "javascript")
                    index.add("compact_running", false)
                    index.add("updater_running", false)
                })
        }
    }

    private static func definition(of view: ScriptedView) throws -> ViewDefinition {
        do { return try view.definition() } catch let error as ScriptError where error.kind == .missingLibrary {
            throw RESTError.unsupported("\(error)")
        } catch { throw RESTError(500, "Application callback block failed", "\(error)") }
    }

    private static func answer(
        _ call: RESTCall, _ keyspace: Keyspace, _ view: ViewDefinition, _ index: ViewIndex, _ posted: FleeceData?
    ) throws {
        if let posted, posted.withRoot({ $0.dictionary?.value(forKey: "queries", nil) != nil }) {
            return try call.answerQueries(posted) { parameters, answer in
                try self.query(view, index, parameters, nil) { try write($0, $1, view, parameters, keyspace, to: answer) }
            }
        }
        let keys = try posted?.withRoot { root -> [QueryKey]? in
            // A view that comes with the request has its own `reduce` there.
            if call.place.pattern != .operation("_temp_view"), let members = root.dictionary { call.parameters.merge(members) }
            guard let keys = root.dictionary?.value(forKey: "keys", nil) else { return nil }
            guard let array = keys.array else { throw RESTError.badParameter("keys is an array") }
            return try array.map { try QueryKey($0) }
        }
        let changes = try keyspace.database.read { try $0.lastSequence(of: keyspace.collection) }
        try query(view, index, call.parameters, keys ?? nil) { rows, query in
            let sequence = query.includesDocuments ? changes : rows.lastSequence
            guard try !call.isUnchanged("\(sequence)") else { return }
            let answer = JSONAnswer(call, headers: call.isReading ? ["Etag": "\"\(sequence)\""] : [:])
            try write(rows, query, view, call.parameters, keyspace, to: answer)
            try answer.end()
        }
    }

    private static func query(
        _ view: ViewDefinition, _ index: ViewIndex, _ parameters: RESTParameters, _ keys: [QueryKey]?,
        _ body: (ViewRows, ViewQuery) throws -> Void
    ) throws {
        var query = try ViewQuery(parameters, keys: keys)
        if query.updateMode != .before, try !index.entries().contains(where: { $0.name == view.name }) { query.updateMode = .before }
        try index.query(view, query) { try body($0, query) }
    }

    private static func write(
        _ rows: ViewRows, _ query: ViewQuery, _ view: ViewDefinition, _ parameters: RESTParameters, _ keyspace: Keyspace,
        to answer: JSONAnswer
    ) throws {
        try write(
            rows, query, isGrouped: query.isGrouped(view), isScripted: view.isScripted, DocumentOptions(parameters), keyspace, to: answer)
        if parameters.flag("update_seq") {
            answer.text.append(",\"update_seq\":")
            answer.text.append(decimal: rows.lastSequence)
        }
        answer.text.append("}")
    }

    private static func write(
        _ rows: ViewRows, _ query: ViewQuery, isGrouped: Bool, isScripted: Bool, _ options: DocumentOptions, _ keyspace: Keyspace,
        to answer: JSONAnswer
    ) throws {
        answer.text.append("{\"total_rows\":")
        answer.text.append(decimal: Int64(rows.totalCount))
        answer.text.append(",\"offset\":")
        answer.text.append(decimal: Int64(query.skip))
        answer.text.append(",\"rows\":[\n")
        answer.beginList()
        while try rows.next() {
            let row = rows.row
            answer.separate()
            answer.text.append("{")
            if !isGrouped {
                answer.text.append("\"id\":")
                JSONWriter.write(string: row.idBytes, to: &answer.text)
            }
            if let match = row.match {
                write(match, to: &answer.text)
            } else if query.box != nil {
                write(shape: row.shape, to: &answer.text)
            } else {
                answer.text.append(isGrouped ? "\"key\":" : ",\"key\":")
                if row.key.isUndefined { answer.text.append("null") } else { JSONWriter.write(row.key, keys: nil, to: &answer.text) }
            }
            try row.withValue { value in
                // A program's own map function that emits nothing has no value; `null` is one. In JavaScript both are the same to CouchDB's clients.
                guard !value.isUndefined else { return isScripted ? answer.text.append(",\"value\":null") : () }
                answer.text.append(",\"value\":")
                JSONWriter.write(value, keys: nil, to: &answer.text)
            }
            if query.includesDocuments, !isGrouped {
                answer.text.append(",\"doc\":")
                try write(row.document()?.id, options, keyspace, to: answer)
            }
            answer.text.append("}")
            try answer.flush()
        }
        answer.text.append("\n]")
    }

    /// Where the words are, in units of UTF-16 as other JSON has them.
    private static func write(_ match: FullTextMatch, to text: inout ByteBuffer) {
        if let snippet = match.snippet(before: "[", after: "]") {
            text.append(",\"snippet\":")
            JSONWriter.write(string: snippet, to: &text)
        }
        let units = UTF16Places(match.text)
        text.append(",\"matches\":[")
        for (number, place) in match.places.enumerated() {
            let (start, end) = (units.place(ofByte: place.range.lowerBound), units.place(ofByte: place.range.upperBound))
            text.append(number > 0 ? ",{\"term\":" : "{\"term\":")
            text.append(decimal: Int64(place.term))
            text.append(",\"range\":[")
            text.append(decimal: Int64(start))
            text.append(",")
            text.append(decimal: Int64(end - start))
            text.append("]}")
        }
        text.append("]")
    }

    private static func write(shape: Value, to text: inout ByteBuffer) {
        guard !shape.isUndefined else { return }
        text.append(",\"geometry\":")
        JSONWriter.write(shape, keys: nil, to: &text)
        guard let box = GeoJSON.bounds(of: shape, nil) else { return }
        text.append(",\"bbox\":[")
        for (number, side) in [box.x0, box.y0, box.x1, box.y1].enumerated() {
            if number > 0 { text.append(",") }
            JSONWriter.write(double: side, to: &text)
        }
        text.append("]")
    }

    private static func write(_ id: String?, _ options: DocumentOptions, _ keyspace: Keyspace, to answer: JSONAnswer) throws {
        try keyspace.database.read { snapshot in
            guard let document = try id.flatMap({ try snapshot.document($0, in: keyspace.collection) }), !document.isDeleted else {
                return answer.text.append("null")
            }
            try DocumentWriter(options, snapshot, keyspace.database.blobs).write(document, to: &answer.text)
        }
    }
}

extension ViewQuery {
    /// As the parameters of a URL say.
    fileprivate init(_ parameters: RESTParameters, keys posted: [QueryKey]?) throws {
        func key(_ names: String...) throws -> QueryKey? {
            guard let text = parameters[names] else { return nil }
            do { return try QueryKey(json: text) } catch { throw RESTError.badParameter("\(names[0]) is not JSON: \(error)") }
        }
        self.init()
        if let posted {
            keys = posted
        } else if let single = try key("key") {
            keys = [single]
        } else if let list = try parameters.json("keys") {
            keys = try list.withRoot { root in
                guard let array = root.array else { throw RESTError.badParameter("keys is an array") }
                return try array.map { try QueryKey($0) }
            }
        } else {
            startKey = try key("startkey", "start_key")
            endKey = try key("endkey", "end_key")
        }
        startKeyDocumentID = parameters.text("startkey_docid", "start_key_doc_id")
        endKeyDocumentID = parameters.text("endkey_docid", "end_key_doc_id")
        inclusiveStart = parameters.flag("inclusive_start", default: true)
        inclusiveEnd = parameters.flag("inclusive_end", default: true)
        prefixMatchLevel = parameters.integer("prefix_match_level") ?? 0
        descending = parameters.flag("descending")
        skip = parameters.integer("skip") ?? 0
        limit = parameters.integer("limit")
        if parameters["reduce"] != nil { reduces = parameters.flag("reduce") }
        group = parameters.flag("group")
        groupLevel = parameters.integer("group_level") ?? 0
        includesDocuments = parameters.flag("include_docs")
        updateMode = try ViewQuery.updateMode(parameters)
        if let text = parameters["full_text"] {
            var request = FullTextRequest(text)
            request.snippets = parameters.flag("snippets")
            request.ranks = parameters.flag("ranking", default: true)
            fullText = request
        }
        if let text = parameters["bbox"] {
            let sides = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard sides.count == 4, let x0 = sides[0], let y0 = sides[1], let x1 = sides[2], let y1 = sides[3] else {
                throw RESTError.badParameter("bbox is four numbers: x0,y0,x1,y1")
            }
            box = ViewRectangle(x0: x0, y0: y0, x1: x1, y1: y1)
        }
    }

    private static func updateMode(_ parameters: RESTParameters) throws(RESTError) -> UpdateMode {
        switch (parameters["stale"], parameters["update"]) {
        case (nil, nil), (nil, "true"), ("false", _): return .before
        case ("ok", _), (nil, "false"): return .never
        case ("update_after", _), (nil, "lazy"): return .after
        default: throw .badRequest("stale is ok, update_after or false")
        }
    }
}

/// Where the characters of a text are when it is counted in units of UTF-16.
private struct UTF16Places {
    /// For each byte of UTF-8; empty if they are the same.
    private var places: [Int] = []

    init(_ text: String) {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        var place = 0
        for scalar in text.unicodeScalars {
            for _ in 0..<UTF8.width(scalar) { places.append(place) }
            place += UTF16.width(scalar)
        }
        places.append(place)
    }

    func place(ofByte byte: Int) -> Int { places.isEmpty ? byte : places[min(byte, places.count - 1)] }
}
