import CBLBenchProcesses
import CBLStore

extension World {
    /// By the names that are chosen on the command line.
    static var all: [(word: String, world: World)] {
        [
            ("documents-100k", documents(100_000)), ("documents-1m", documents(1_000_000)), ("documents-10m", documents(10_000_000)),
            ("documents-50m", documents(50_000_000)),
            ("large", gatherings(10_000, of: 100_000, "documents of 100 kB")),
            ("huge", gatherings(100, of: 10_000_000, "documents of 10 MB")),
            ("collections", collections), ("revisions", revisions), ("blobs", blobs(1_000_000)), ("indexes", indexes),
        ]
    }

    private static let importing = Step("import", ["cp", "--jsonid", "_id", "{data}", "{db}"])
    private static let ending = [
        Step("sync", ["pull", "{out}.cblite2", "{url}", "--create"], kind: .isServed),
        Step("check", ["check", "{db}"]),
        Step("dump", ["dump", "{db}", "{out}.archive"], kind: .leaves),
        Step("restore", ["restore", "{db}", "{out}.archive"], kind: .remakes),
        Step("compact", ["compact", "{db}"]),
    ]
    /// What a person does first.
    private static let looking = [
        Step("prompt", ["--writeable", "{db}"], kind: .isConstant),
        Step("info", ["info", "{db}"], kind: .isConstant),
        Step("ls --limit", ["ls", "-l", "--limit", "20", "{db}"], kind: .isConstant),
        Step("schema", ["schema", "{db}"], kind: .isConstant),
    ]

    private static func documents(_ count: Int) -> World {
        World(
            name: "\(count) documents", unit: "document", count: count, make: { try People.write(count, to: $0.data) },
            steps: [importing] + looking + [
                Step("cat", ["cat", "{db}", People.id(count / 2)], kind: .isConstant),
                .query("count", "count(*) FROM _"),
                .query("scan", "count(*) FROM _ WHERE contact.address.state = 'CA'"),
                .query("group", "contact.address.state, count(*), avg(balance) FROM _ GROUP BY contact.address.state"),
                .query("top", "name.last, name.first, balance FROM _ ORDER BY balance DESC LIMIT 20"),
                .query("top 100,000", "name.last, name.first, balance FROM _ ORDER BY balance DESC LIMIT 100000"),
                .query("sort", "name.last, balance FROM _ ORDER BY name.last, balance"),
                Step("mkindex", ["mkindex", "{db}", "byZip", "contact.address.zip"]),
                .query("indexed", "name.last FROM _ WHERE contact.address.zip = '54321' LIMIT 20", kind: .isConstant),
                Step("mkfts", ["mkindex", "--fts", "{db}", "street", "contact.address.street"]),
                .query("fts", "META().id FROM _ WHERE MATCH(street, '4711 harvard') LIMIT 20", kind: .isConstant),
                Step("ls", ["ls", "{db}"]), Step("export", ["export", "{db}", "{out}.json"]),
            ] + ending)
    }

    private static func gatherings(_ count: Int, of size: Int, _ name: String) -> World {
        World(
            name: "\(count) \(name)", unit: "document", count: count, make: { try People.writeGatherings(count, of: size, to: $0.data) },
            steps: [importing] + looking + [
                Step("cat", ["cat", "--raw", "{db}", People.id(count / 2)], kind: .isConstant),
                .query("scan", "count(*) FROM _ WHERE people[3].contact.address.state = 'CA'"),
                .query("any", "count(*) FROM _ WHERE ANY p IN people SATISFIES p.balance = 4711 END"),
                .query("unnest", "count(*) FROM _ UNNEST _.people AS p WHERE p.balance < 0"),
                Step("mkindex", ["mkindex", "{db}", "byNumber", "number"]),
                Step("export", ["export", "{db}", "{out}.json"]),
            ] + ending)
    }

    private static var collections: World {
        let (number, documents) = (1000, 1000)
        return World(
            name: "\(number) collections of \(documents) documents", unit: "document", count: number * documents,
            make: { place in
                try place.build { transaction in
                    var people = People()
                    let names = try (0..<number).map { try CollectionName(scope: "scope\($0 / 100)", name: "collection\($0)") }
                    try transaction.createCollections(names)
                    for name in names {
                        for document in 0..<documents {
                            people.next(document, isBody: true)
                            try transaction.save(People.id(document), in: name, body: try transaction.encode(json: people.json))
                        }
                    }
                }
            },
            steps: looking + [
                Step("lscoll", ["lscoll", "{db}"], kind: .isConstant),
                .query("one of them", "count(*) FROM scope5.collection555", kind: .isConstant),
                Step("tree", ["tree", "{db}"]),
                Step("mkindex", ["mkindex", "-C", "scope5.collection555", "{db}", "byZip", "contact.address.zip"], kind: .isConstant),
                Step("export", ["export", "-C", "scope5.collection555", "{db}", "{out}.json"], kind: .isConstant),
                Step("sync", ["pull", "--all-collections", "{out}.cblite2", "{url}", "--create"], kind: .isServed),
            ] + ending.dropFirst())
    }

    private static var revisions: World {
        let (documents, revisions) = (1000, 1000)
        return World(
            name: "\(documents) documents of \(revisions) revisions", unit: "revision", count: documents * revisions,
            make: { place in
                try place.build { transaction in
                    try transaction.setPruneDepth(revisions)
                    for document in 0..<documents {
                        for revision in 1...revisions {
                            let json = "{\"revision\":\(revision),\"text\":\"what stands there for the \(revision)th time\"}"
                            try transaction.save(People.id(document), body: try transaction.encode(json: json))
                        }
                    }
                }
            },
            steps: looking + [
                Step("revs", ["revs", "{db}", People.id(documents / 2)], kind: .isConstant),
                .query("scan", "count(*) FROM _ WHERE revision = 1000"),
                Step("save each", ["query", "--writeable", "{db}", "UPDATE _ SET revision = 1001"]),
                Step("export", ["export", "{db}", "{out}.json"]),
            ] + ending)
    }

    private static func blobs(_ count: Int) -> World {
        let each = 10
        return World(
            name: "\(count) blobs", unit: "blob", count: count,
            make: { place in
                let database = try Database(path: place.database, options: .create)
                defer { database.close() }
                let blobs = database.blobs.untilCommit
                for batch in 0..<(count / each / 1000) {
                    try database.write { transaction in
                        for document in (batch * 1000)..<(batch + 1) * 1000 {
                            var json = "{\"number\":\(document),\"pictures\":["
                            for picture in 0..<each {
                                var content = "picture \(picture) of document \(document)" + String(repeating: ".", count: 100)
                                let blob = try content.withUTF8 { try blobs.write(UnsafeRawBufferPointer($0)) }
                                json += "\(picture > 0 ? "," : ""){\"@type\":\"blob\",\"content_type\":\"text/plain\","
                                json += "\"digest\":\"\(blob.digest)\",\"length\":\(blob.length)}"
                            }
                            try transaction.save(People.id(document), body: try transaction.encode(json: json + "]}"))
                        }
                    }
                }
            },
            steps: looking + [
                Step("tree", ["tree", "{db}"]),
                Step("export", ["export", "{db}", "{out}.json"]),
                Step("cp", ["cp", "{db}", "{out}.cblite2"]),
            ] + ending)
    }

    private static var indexes: World {
        let (number, documents) = (64, 100_000)
        let commands = (0..<number).map { number in
            ["mkindex", "{db}", "by\(number)", number % 8 == 7 ? "likes[\(number / 8)] || name.last" : "score % \(number + 1)"]
        }
        func making(_ range: Range<Int>) -> Step { Step("mkindex \(range.lowerBound)–\(range.upperBound)", Array(commands[range])) }
        let using = [
            Step.query("indexed", "count(*) FROM _ WHERE score % 40 = 7 LIMIT 20"),
            Step("put", ["put", "{db}", "new", "{\"score\":7}"], kind: .isConstant),
            Step("save each", ["query", "--writeable", "{db}", "UPDATE _ SET balance = balance + 1, score = score + 1"]),
        ]
        return World(
            name: "\(number) indexes", unit: "document", count: documents, make: { try People.write(documents, to: $0.data) },
            steps: [importing, making(0..<8), making(8..<56), making(56..<64)] + looking + using + ending)
    }
}
