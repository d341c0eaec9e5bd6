import CBLFleece
import CBLQuery
import CBLStore
import CBLViews
import FoundationEssentials

private let byCity = ViewDefinition("byCity", version: "1", reduction: .builtIn(.sum)) { document, emitter in
    let address = document["contact"].dictionary?.value(forKey: "address", document.keys)?.dictionary
    emitter.emit(address?.value(forKey: "city", document.keys) ?? .undefined, document["score"])
}
private let nothing = ViewDefinition("nothing", version: "1") { document, _ in _ = document["score"] }

/// What is measured: see `main.swift`.
struct Workloads {
    let folder: String
    let runs: Int

    func report(_ name: String, _ times: Times, per count: Int) {
        let rate = Int(Double(count) / max(times.processor, 1e-9))
        print("| \(name) | \(decimal(times.wall * 1000)) | \(decimal(times.processor * 1000)) | \(rate) |")
    }

    func measureUsers(_ file: String) throws {
        let path = folder + "/users.cblite2"
        try? FileManager.default.removeItem(atPath: path)
        let database = try Database(path: path, options: .create)
        let text = [UInt8](try Data(contentsOf: URL(filePath: file)))
        var count = 0
        try database.write { transaction in
            try transaction.bulk { bulk in
                for line in text.split(separator: UInt8(ascii: "\n")) {
                    transaction.encoder.reset()
                    var id = ByteBuffer()
                    _ = try line.withUnsafeBytes { line in
                        try Array("_id".utf8).withUnsafeBytes {
                            try JSONParser.parse(line, extracting: $0, to: &id, into: transaction.encoder)
                        }
                    }
                    try bulk.save(id: id.bytes)
                    count += 1
                }
            }
        }
        func repeated(_ work: () throws -> Times) rethrows -> Times { Times.median(try (0..<runs).map { _ in try work() }) }

        report(
            "value index of the city",
            try repeated {
                let times = try Times.of {
                    try database.write { transaction in
                        _ = try transaction.createIndex(
                            IndexDefinition(name: "city", in: .default, .value, "contact.address.city", language: .sqlpp))
                    }
                }
                try database.write { _ = try $0.dropIndex("city") }
                return times
            }, per: count)
        report(
            "view of nothing",
            try repeated {
                let index = ViewIndex(database)
                index.removeAll()
                return try Times.of { try index.update([nothing]) }
            }, per: count)
        report(
            "view of the city",
            try repeated {
                let index = ViewIndex(database)
                index.removeAll()
                return try Times.of { try index.update([byCity]) }
            }, per: count)

        let source = "function (doc) { emit(doc.contact.address.city, doc.score); }"
        let scripted = try ScriptedView("scripted", map: source).definition()
        report(
            "view of the city in JavaScript",
            try repeated {
                let index = ViewIndex(database)
                index.removeAll()
                return try Times.of { try index.update([scripted]) }
            }, per: count)
        let lines = try ScriptWorkloads.read(file)
        report(
            "the same by Duktape from JSON", try repeated { try Times.of { _ = try ScriptWorkloads.runEngine(source, lines) } }, per: count)

        let sql = "SELECT contact.address.city, sum(score) FROM _ GROUP BY contact.address.city"
        var groups = 0
        report(
            "GROUP BY of the query engine",
            try repeated {
                try Times.of {
                    try database.read { snapshot in
                        let rows = try Query(sql, on: snapshot).run(on: snapshot)
                        groups = 0
                        while try rows.next() { groups += 1 }
                    }
                }
            }, per: count)
        let index = ViewIndex(database)
        var query = ViewQuery()
        query.group = true
        var rowsOnly = ViewQuery()
        rowsOnly.reduces = false
        var viewGroups = 0
        report(
            "grouped and reduced view",
            try repeated {
                try Times.of {
                    try index.query(byCity, query) { rows in
                        viewGroups = 0
                        while try rows.next() { viewGroups += 1 }
                    }
                }
            }, per: count)
        report(
            "all rows of the view",
            try repeated {
                try Times.of {
                    try index.query(byCity, rowsOnly) { rows in
                        var bytes = 0
                        while try rows.next() { bytes += rows.row.idBytes.count }
                        if bytes == 0 { print("no rows") }
                    }
                }
            }, per: count)
        print("\(count) documents, \(groups) groups, of the view \(viewGroups)")
        database.close()
    }

    func measureMany(_ many: Int) throws {
        let path = folder + "/many.cblite2"
        try? FileManager.default.removeItem(atPath: path)
        let database = try Database(path: path, options: .create)
        func put(_ transaction: Transaction, _ bulk: BulkWriter, _ number: Int, _ value: Int64) throws {
            let encoder = transaction.encoder
            encoder.reset()
            encoder.beginDictionary()
            encoder.writeKey("n")
            encoder.write(value)
            encoder.endDictionary()
            var id = "doc\(number)"
            try id.withUTF8 { try bulk.save(id: UnsafeRawBufferPointer($0)) }
        }
        try database.write { transaction in
            try transaction.bulk { bulk in for number in 0..<many { try put(transaction, bulk, number, Int64(number)) } }
        }
        let index = ViewIndex(database)
        index.removeAll()
        let view = ViewDefinition("n", version: "1") { $1.emit($0["n"]) }
        report("view of \(many) small documents", try Times.of { try index.update([view]) }, per: many)
        // What takes long once: the index by sequence.
        func change(_ number: Int) throws -> Times {
            try database.write { transaction in try transaction.bulk { try put(transaction, $0, number * 1000 % many, Int64(-number)) } }
            return try Times.of { try index.update([view]) }
        }
        report("first update after one change", try change(1), per: 1)
        report("update after one change", Times.median(try (2..<22).map { try change($0) }), per: 1)
        database.close()
    }

    /// Half of the documents come, go as tombstones, come again, and are purged. Their keys are not in the order of their IDs.
    func measureHalves(of many: Int) throws {
        let path = folder + "/halves.cblite2"
        try? FileManager.default.removeItem(atPath: path)
        let database = try Database(path: path, options: .create)
        let index = ViewIndex(database)
        index.removeAll()
        let view = ViewDefinition("n", version: "1") { $1.emit($0["n"], $0["text"]) }
        let half = many / 2
        func put(_ parity: Int) throws {
            try database.write { transaction in
                for number in 0..<half {
                    let body = try transaction.encode(json: #"{"n":\#(number &* 7919 % half),"text":"some text of \#(number)"}"#)
                    let id = "doc\(2 * number + parity)"
                    if let document = try transaction.document(id) {
                        _ = try transaction.save(document, body: body)
                    } else {
                        _ = try transaction.save(id, in: .default, body: body)
                    }
                }
            }
        }
        func remove(_ work: (Transaction, String) throws -> Void) throws {
            try database.write { transaction in for number in 0..<half { try work(transaction, "doc\(2 * number + 1)") } }
        }
        func update(_ name: String) throws { report(name, try Times.of { try index.update([view]) }, per: half) }
        try put(0)
        try update("view of the first half of \(many)")
        try put(1)
        try update("update after the second half came")
        try remove { transaction, id in if let document = try transaction.document(id) { _ = try transaction.delete(document) } }
        try update("update after it was deleted")
        try put(1)
        try update("update after it came again")
        try put(1)
        try update("update after it was changed")
        try remove { transaction, id in try transaction.purge(id) }
        try update("update after it was purged")
        print("\(try index.entries().first?.rows ?? 0) rows are left")
        database.close()
    }
}
