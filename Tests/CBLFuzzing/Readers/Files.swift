import CBLBase
import CBLFleece
import CBLTestSupport
import CBLWorkbench
import FoundationEssentials

@testable import CBLSQLite
@testable import CBLStore
@testable import CBLVectors

extension FuzzedReader {
    static let files = [
        FuzzedReader("archive", "archives that are restored", mostBytes: 1500, seeds: archiveSeeds, readArchive),
        FuzzedReader("zip", "ZIP files with databases in them", mostBytes: 1000, seeds: [zipSeed]) { bytes in
            try withFile(bytes) { path in
                let zip = try ZipFile(path: path)
                var isAccepted = false
                for entry in zip.entries where entry.isFile {
                    var count = 0
                    try? zip.read(entry) { count += $0.count }
                    require(count <= entry.size, "more than the list says")
                    isAccepted = true
                }
                return isAccepted
            }
        },
        FuzzedReader(
            "table", "tables with delimiters", mostBytes: 400, texts: ["_id,name,n\na,\"x\",1\nb,\"[1,{\"\"a\"\":2}]\",-1.5e3\nc,,true\n"]
        ) { bytes in
            try withFile(bytes) { path in
                try documents(bytes.count, TableSource(InputSource(path: path), delimiter: .comma, idKey: "_id"))
            }
        },
        FuzzedReader("documents", "files of JSON", mostBytes: 400, texts: [#"{"_id": "a", "n": 1}"# + "\n" + #"[{"b": 2}, {"_id": 5}]"#]) {
            bytes in
            try withFile(bytes) { path in try documents(bytes.count, JSONSource(InputSource(path: path), dialect: .json5, idKey: "_id")) }
        },
        FuzzedReader("log", "logs of both forms", mostBytes: 400, seeds: logSeeds) { bytes in
            let whole = records(bytes, piece: .max)
            require(records(bytes, piece: 3) == whole, "what is read depends on how it was cut")
            var reader = LogTextReader(start: 0)
            withCopy(of: bytes) { reader.append($0) }
            var isAccepted = !whole.isEmpty
            while reader.next() != nil { isAccepted = true }
            reader.end()
            while reader.next() != nil { isAccepted = true }
            if reader.last() != nil { isAccepted = true }
            return isAccepted
        },
        FuzzedReader(
            "pages", "pages of tables and indexes, past SQLite", mostBytes: 60, seeds: [[]], others: [[0x04, 0x03, 0x07]], readPages),
        FuzzedReader("vector-block", "what vector indexes keep", mostBytes: 600, seeds: vectorSeeds, readVectors),
        FuzzedReader("vector-options", "texts of vector indexes", mostBytes: 300, texts: vectorOptionTexts) { bytes in
            guard let options = VectorOptions(text: String(decoding: bytes, as: UTF8.self)) else { return false }
            require(options.problem == nil, "options with a problem")
            require(VectorOptions(text: options.text) == options, "\(options.text) is not read again")
            return true
        },
        FuzzedReader(
            "index-expression", "SQL of indexes in files and archives", mostBytes: 300, texts: expressionTexts,
            others: ["fl_value(body, 'a.b[0]') COLLATE NOCASE, key"]
        ) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let isSafe = ExpressionCheck.isSafe(text[...])
            var schemaText = SchemaText(text)
            let module = FullTextModule(&schemaText).map { IndexSQL.fullTextModule($0.columns, tokenizer: $0.tokenizer) }
            guard isSafe || module != nil else { return false }
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            try connection.execute("CREATE TABLE t (key, sequence, flags, version, body)")
            for sql in (isSafe ? ["CREATE INDEX i ON t (\(text))", "CREATE INDEX i ON t (key) WHERE \(text)"] : [])
                + (module.map { ["CREATE VIRTUAL TABLE x USING \($0)"] } ?? [])
            {
                var count = 0
                do { try connection.forEachStatement(in: sql) { _ in count += 1 } } catch { continue }
                require(count <= 1, "\(count) statements: \(sql)")
            }
            return true
        },
    ]

    private static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = try TemporaryDirectory(inMemory: true)
        return try withExtendedLifetime(folder) { try body(folder.path) }
    }

    /// A file of these bytes, in memory.
    private static func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
        try withFolder { folder in
            let path = folder + "/input"
            try Data(bytes).write(to: URL(filePath: path))
            return try body(path)
        }
    }

    // MARK: Archives

    /// What a small database of each kind is dumped as.
    private static let archiveSeeds: [[UInt8]] = [Database.Options.Upgrade.none, .versionVectors].compactMap { try? dump($0) }

    private static func dump(_ upgrade: Database.Options.Upgrade) throws -> [UInt8] {
        try withFolder { folder in
            let database = try Database(path: folder + "/dumped.cblite2", options: .init(access: .create, upgrade: upgrade))
            defer { database.close() }
            let blob = try Array("hello".utf8).withUnsafeBytes { try database.blobs.write($0) }
            try database.write { transaction in
                _ = try transaction.createIndex(
                    IndexSpecification(
                        name: "i", collection: .default, form: .value(expressions: ["fl_value(body, 'n')"], condition: nil),
                        source: .init(.sqlpp, "n", condition: nil, unnest: nil, in: .newest)))
                try transaction.save("a", body: transaction.encode(json: #"{"n":1}"#))
                try transaction.save("a", body: transaction.encode(json: #"{"b":{"@type":"blob","digest":"\#(blob.digest)","length":5}}"#))
                try transaction.save("gone", body: transaction.encode(json: "{}"))
                try transaction.delete("gone")
            }
            var lines: [UInt8] = []
            try database.dump(Archive.DumpOptions()) { lines += $0 }
            return lines.last == UInt8(ascii: "\n") ? lines.dropLast() : lines
        }
    }

    private static func readArchive(_ bytes: [UInt8]) throws -> Bool {
        try withFolder { folder in
            let database = try Database(path: folder + "/restored.cblite2", options: .create)
            defer { database.close() }
            let isRestored: Bool
            do {
                _ = try database.restore(Archive.RestoreOptions()) { restorer in
                    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                        try withCopy(of: line) { try restorer.accept($0) }
                    }
                }
                isRestored = true
            } catch {
                isRestored = false
            }
            // Whatever it was, the database is sound.
            var findings: [String] = []
            try database.read { snapshot in _ = try Checker(snapshot) { if $0.severity != .note { findings.append("\($0)") } }.run() }
            require(findings.isEmpty, "\(findings)")
            return isRestored
        }
    }

    /// A list of one file that is not compressed.
    private static let zipSeed: [UInt8] = {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let name = Array("x.cblite2/db.sqlite3".utf8)
        let content = Array("content".utf8)
        var checksum = Checksum()
        content.withUnsafeBytes { checksum.update($0) }
        let common =
            number(20, 2) + number(0, 8) + number(Int(checksum.value), 4) + number(content.count, 4) + number(content.count, 4)
            + number(name.count, 2) + number(0, 2)
        let file = number(0x0403_4B50, 4) + common + name + content
        let list = number(0x0201_4B50, 4) + number(20, 2) + common + number(0, 14) + name
        let end =
            number(0x0605_4B50, 4) + number(0, 4) + number(1, 2) + number(1, 2) + number(list.count, 4) + number(file.count, 4)
            + number(0, 2)
        return file + list + end
    }()

    // MARK: Documents and logs

    private static func documents(_ length: Int, _ source: some DocumentSource) throws -> Bool {
        let encoder = FleeceEncoder()
        var count = 0
        for _ in 0...length {
            var id = ByteBuffer()
            do {
                guard try source.next(into: encoder, id: &id) else { return count > 0 }
                try encoder.finish().withRoot { _ = $0.kind }
                count += 1
            } catch is MalformedDocument {
                encoder.reset()
            } catch is FleeceError {
                encoder.reset()
            }
        }
        require(false, "more documents than bytes")
        return false
    }

    private static let logSeeds =
        [
            "cfb2ab1b010880e2cfaa0690a10f020044420001" + "2f64756d6d792331" + "2f00016c696e6520232564206f6620257300000702" + "6162"
                + "e80702000101" + "01ac0200"
        ].compactMap { Hex.bytes(of: $0) } + [
            Array("2025-12-09T06:47:55.507699Z WS Verbose Obj=/JRepl@1175308903/ Received\n  more\n".utf8)
        ]

    private static func records(_ bytes: [UInt8], piece: Int) -> [String] {
        var decoder = LogDecoder()
        var records: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            withCopy(of: rest.prefix(piece)) { decoder.append($0) }
            rest = rest.dropFirst(piece)
            do throws(LogDamage) {
                while let record = try decoder.next() { records.append("\(record)") }
            } catch {
                return records + ["damage"]
            }
        }
        return records
    }

    // MARK: Pages

    /// A small database of pages of 512 bytes.
    private static let soundPages: [UInt8] = (try? madePages()) ?? []

    private static func madePages() throws -> [UInt8] {
        try withFolder { folder in
            let path = folder + "/pages.sqlite3"
            let connection = try Connection(path: path, mode: .create)
            try connection.execute("PRAGMA page_size=512")
            try connection.execute("CREATE TABLE t (a TEXT, b INTEGER, c INTEGER, d BLOB, e BLOB, f TEXT)")
            try connection.execute("CREATE INDEX i ON t (a)")
            for row in 0..<40 {
                try connection.execute(
                    "INSERT INTO t VALUES ('row \(row) of them', \(row * 40), NULL, x'0102', zeroblob(\(row == 5 ? 900 : 20)), 1.5)")
            }
            return try Array(Data(contentsOf: URL(filePath: path)))
        }
    }

    /// Each three bytes are a place behind the schema, and what stands there instead.
    private static func readPages(_ bytes: [UInt8]) throws -> Bool {
        var pages = soundPages
        for change in stride(from: 0, to: bytes.count - 2, by: 3) {
            let place = Int(bytes[change]) << 8 | Int(bytes[change + 1])
            pages[512 + place % (pages.count - 512)] = bytes[change + 2]
        }
        return try withFile(pages) { path in
            let connection = try Connection(path: path, mode: .readOnly, parameters: ["immutable=1"])
            guard let root = try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='t'"),
                let source = PageSource(connection, log: nil),
                let leaves = TableLeaves(ofTableAt: UInt32(truncatingIfNeeded: root), in: source)
            else { return false }
            let indexRoot = try connection.integer("SELECT rootpage FROM sqlite_master WHERE name='i'") ?? 0
            var wanted: [Int64] = []
            if let index = IndexReader(at: UInt32(truncatingIfNeeded: indexRoot), in: source) {
                while index.next() == .entry {
                    _ = index.text.reduce(0 as UInt8) { $0 ^ $1 }
                    wanted.append(index.row)
                    require(wanted.count < 100_000, "the entries have no end")
                }
            }
            let reader = TableReader(source)
            var rows = 0
            for number in wanted where reader.find(number, in: leaves) { require(reader.number == number, "another row") }
            for leaf in leaves.pages {
                guard reader.begin(leaf) else { return false }
                loop: while true {
                    switch reader.next() {
                    case .end: break loop
                    case .damage: return false
                    case .row: rows += 1
                    }
                    for column in 0..<TableReader.columnCount {
                        switch reader.kind(column) {
                        case .integer: _ = reader.integer(column)
                        case .text, .blob: _ = reader.bytes(column)?.reduce(0 as UInt8) { $0 ^ $1 }
                        case .null, .real: break
                        }
                    }
                    require(rows < 100_000, "the rows have no end")
                }
            }
            return rows > 0
        }
    }

    // MARK: Vectors

    private static let vectorOptionTexts = [
        "dimensions=300,metric=cosine,clustering=flat20,encoding=PQ5x8,minToTrain=100,maxToTrain=200,probes=5,lazyembedding=true",
        "dimensions=2,clustering=multi2x8,encoding=SQ4,minToTrain=never,maxToTrain=0",
    ]

    private static let vectors: [[Float]] = (0..<40).map { row in (0..<6).map { Float((row * 7 + $0 * 13) % 23) / 23 - 0.5 } }
    private static let models: [(VectorOptions, VectorModel)] = [
        VectorEncoding.none, .scalar(bits: 8), .scalar(bits: 4), .product(parts: 3, bits: 4),
    ].compactMap { encoding in
        var options = VectorOptions(dimensions: 6, centroids: 4)
        options.encoding = encoding
        let sample = VectorSample(dimensions: 6, limit: 1000)
        for vector in vectors { vector.withUnsafeBytes { sample.offer($0) } }
        return (try? VectorModel(options, trainedOn: sample)).map { (options, $0) }
    }

    /// The kind of encoding, and whether the rest is a model or a block.
    private static var vectorSeeds: [[UInt8]] {
        models.enumerated().flatMap { place, model in
            var writer = VectorBlockWriter()
            let batch = VectorBatch(model.1, capacity: 4)
            for (sequence, vector) in vectors.prefix(4).enumerated() {
                vector.withUnsafeBytes { batch.append(VectorID(sequence: UInt64(sequence), check: 1), $0) }
            }
            guard (try? model.1.encode(batch)) != nil else { return [] as [[UInt8]] }
            for index in 0..<batch.count { writer.append(batch.ids[index], batch.code(index)) }
            return [[UInt8(place), 0] + writer.bytes(list: 0), [UInt8(place), 1] + model.1.bytes.dropLast(4)]
        }
    }

    private static func readVectors(_ bytes: [UInt8]) throws -> Bool {
        var parts = InputParts(bytes)
        let (options, sound) = models[Int(parts.byte()) % models.count]
        let isModel = parts.byte() % 2 == 1
        var model = sound
        var block = parts.remainder()
        if isModel {
            // A stranger's model has the right sum.
            let signed = block + VectorModel.sum(of: block)
            guard let stranger = withCopy(of: signed, { VectorModel($0, options) }) else { return false }
            model = stranger
            block = []
        }
        let query = vectors[3]
        withCopy(of: block) { bytes in
            var scan = ListScan(model, query)
            var queue = NearestQueue(limit: 5)
            guard let block = VectorBlock(bytes, codeSize: model.codeSize) else { return }
            for list in scan.lists(3) + [-1, model.listCount] { scan.scan(block, list: list, &queue) }
            require(queue.sorted().allSatisfy { !$0.order.isNaN }, "a distance that is none")
            for place in 0..<block.count { _ = model.decode(block.code(place), list: place % model.listCount) }
        }
        let batch = VectorBatch(model, capacity: 1)
        query.withUnsafeBytes { batch.append(VectorID(sequence: 1, check: 1), $0) }
        try model.encode(batch)
        require(batch.list(0) < model.listCount, "a list that is none")
        return true
    }

    // MARK: SQL of others

    private static let expressionTexts = [
        "fl_value(body, 'n')", "CASE WHEN flags & 1 = 0 THEN sequence ELSE -1 END",
        #""body_text", tokenize=unicodesn "stopwordlist=the a" "stemmer=english" remove_diacritics"#,
        "(key || 'it''s') IS NOT NULL AND sequence > 5",
    ]
}
