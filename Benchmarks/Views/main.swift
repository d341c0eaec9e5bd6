import CBLFleece
import CBLQuery
import CBLStore
import CBLViews
import FoundationEssentials
import Glibc

// cblite-bench-views FILE [--folder DIR] [--runs N] [--many N]
//
// Views over the documents of FILE, JSON Lines with the member "_id", against the query engine on the same documents, in one run of one process; and
// over many small documents, of which one changes. What was measured: ../README.md.

var folder = ".build/bench/views"
var runs = 5
var many = 1_000_000
var file: String?

var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    func number(_ usual: Int) -> Int { words.popFirst().flatMap { Int($0) } ?? usual }
    switch word {
    case "--folder": folder = words.popFirst() ?? folder
    case "--runs": runs = max(1, number(runs))
    case "--many": many = max(1, number(many))
    default: file = word
    }
}

func report(_ name: String, _ times: Times, per count: Int) {
    let rate = Int(Double(count) / max(times.processor, 1e-9))
    print("| \(name) | \(decimal(times.wall * 1000)) | \(decimal(times.processor * 1000)) | \(rate) |")
}

let byCity = ViewDefinition("byCity", version: "1", reduction: .builtIn(.sum)) { document, emitter in
    let address = document["contact"].dictionary?.value(forKey: "address", document.keys)?.dictionary
    emitter.emit(address?.value(forKey: "city", document.keys) ?? .undefined, document["score"])
}
let nothing = ViewDefinition("nothing", version: "1") { document, _ in _ = document["score"] }

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

    report("value index of the city", try repeated {
        let times = try Times.of {
            try database.write { transaction in
                _ = try transaction.createIndex(
                    IndexDefinition(name: "city", in: .default, .value, "contact.address.city", language: .sqlpp))
            }
        }
        try database.write { _ = try $0.dropIndex("city", in: .default) }
        return times
    }, per: count)
    report("view of nothing", try repeated {
        let index = ViewIndex(database)
        index.removeAll()
        return try Times.of { try index.update([nothing]) }
    }, per: count)
    report("view of the city", try repeated {
        let index = ViewIndex(database)
        index.removeAll()
        return try Times.of { try index.update([byCity]) }
    }, per: count)

    let sql = "SELECT contact.address.city, sum(score) FROM _ GROUP BY contact.address.city"
    var groups = 0
    report("GROUP BY of the query engine", try repeated {
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
    var viewGroups = 0
    report("grouped and reduced view", try repeated {
        try Times.of {
            try index.query(byCity, query) { rows in
                viewGroups = 0
                while try rows.next() { viewGroups += 1 }
            }
        }
    }, per: count)
    report("all rows of the view", try repeated {
        try Times.of {
            try index.query(byCity, { var query = ViewQuery(); query.reduces = false; return query }()) { rows in
                var bytes = 0
                while try rows.next() { bytes += rows.row.idBytes.count }
                if bytes == 0 { print("no rows") }
            }
        }
    }, per: count)
    print("\(count) documents, \(groups) groups, of the view \(viewGroups)")
    database.close()
}

func measureMany() throws {
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

do {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    print("| what | ms | ms of the processor | documents a second of it |")
    print("|---|---:|---:|---:|")
    if let file { try measureUsers(file) }
    try measureMany()
} catch {
    print(error)
    exit(1)
}
