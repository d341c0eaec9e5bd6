import CBLFleece
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

/// Archives in memory: written, read, damaged.
@Suite struct ArchiveTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ name: String) -> String { directory.path + "/" + name + ".cblite2" }

    private func lines(_ database: Database, _ options: Archive.DumpOptions = Archive.DumpOptions()) throws -> [[UInt8]] {
        var lines: [[UInt8]] = []
        try database.dump(options) { lines.append(Array($0.dropLast())) }
        return lines
    }

    @discardableResult
    private func restore(
        _ lines: [[UInt8]], into database: Database, _ options: Archive.RestoreOptions = Archive.RestoreOptions()
    ) throws -> ArchiveRestorer.Result {
        try database.restore(options) { restorer in
            for line in lines { try line.withUnsafeBytes { try restorer.accept($0) } }
        }
    }

    /// Lines of an archive that was written by hand, with its header and trailer.
    private func archive(_ middle: [String], versioning: String = "trees") -> [[UInt8]] {
        let header = #"{"archive":"cblite","version":1,"versioning":"\#(versioning)"}"#
        return ([header] + middle + [#"{"end":true}"#]).map { Array($0.utf8) }
    }

    /// A small database with a bit of everything.
    private func sample(_ name: String) throws -> Database {
        let database = try Database(path: path(name), options: .create)
        let blob = try Array("hello blob".utf8).withUnsafeBytes { try database.blobs.write($0) }
        try database.write { transaction in
            let things = try CollectionName(parsing: "CRM.Things")
            try transaction.createCollection(things)
            try transaction.createCollection(CollectionName(name: "empty"))
            _ = try transaction.remoteID(of: "wss://example.com/db")
            try transaction.save("a", body: transaction.encode(json: #"{"n": 1}"#))
            try transaction.save("a", body: transaction.encode(json: #"{"n": 2, "$data": [1.0, -0.0, 1e300]}"#))
            try transaction.save("b", in: things, body: transaction.encode(json: #"{"$data": "not data"}"#))
            try transaction.save(
                "with blob", body: transaction.encode(json: #"{"photo": {"@type": "blob", "digest": "\#(blob.digest)", "length": 10}}"#))
            try transaction.save("gone", body: transaction.encode(json: "{}"))
            try transaction.delete("gone")
            try transaction.setExpiration("a", 4_102_444_800_000)
            try transaction.markPushed(try #require(try transaction.document("a")).revision, of: "a", to: 1)
            try transaction.putRaw(RawDocument(key: "k", meta: [0xFF, 0], body: Array("text".utf8)), in: "checkpoints")
        }
        return database
    }

    @Test func whatIsRestoredIsWhatWasDumped() throws {
        let original = try sample("original")
        let dumped = try lines(original)
        let copy = try Database(path: path("copy"), options: .create)
        let result = try restore(dumped, into: copy)
        try #expect(lines(copy) == dumped)
        #expect(result.restored.documents == 4)
        #expect(result.restored.collections == 3)
        #expect(result.restored.blobs == 1)
        #expect(result.restored.rawDocuments == 1)
        try copy.read { copied in
            try original.read { original in
                #expect(copied.publicUUID != original.publicUUID)
                let (body, copy) = (try #require(try original.document("a")).body, try #require(try copied.document("a")).body)
                #expect(copy.root.isEqual(to: body.root, copied.sharedKeys, original.sharedKeys))
                try #expect(copied.remotes() == [1: "wss://example.com/db"])
                try #expect(copied.lastSequence(of: .default) == original.lastSequence(of: .default))
            }
        }
    }

    @Test func everyFlippedBitIsNoticed() throws {
        let original = try Database(path: path("original"), options: .create)
        try original.write { transaction in
            try transaction.save("a", body: transaction.encode(json: #"{"n": 1.5, "s": "text"}"#))
            try transaction.putRaw(RawDocument(key: "k", meta: [0xFF], body: Array("{}".utf8)), in: "raw")
        }
        let text = Array(try lines(original).joined(separator: [0x0A])) + [0x0A]
        let target = try Database(path: path("target"), options: .create)
        for bit in 0..<text.count * 8 {
            var damaged = text
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let lines = damaged.split(separator: 0x0A, omittingEmptySubsequences: false)
            let content = lines.last?.isEmpty == true ? Array(lines.dropLast()) : Array(lines)
            #expect(throws: ArchiveError.self, "bit \(bit)") {
                try restore(content.map { Array($0) }, into: target)
            }
        }
        try target.read { try #expect($0.counts(of: .default).live == 0 && $0.collections() == [.default]) }
    }

    @Test func everyTruncationIsNoticed() throws {
        let text = Array(try lines(sample("original")).joined(separator: [0x0A]))
        let target = try Database(path: path("target"), options: .create)
        for length in 0..<text.count {
            let content = text[..<length].split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
            #expect(throws: ArchiveError.self, "\(length) bytes") { try restore(length == 0 ? [] : content, into: target) }
        }
        try target.read { try #expect($0.counts(of: .default).live == 0) }
    }

    @Test func garbageIsRefused() throws {
        let target = try Database(path: path("target"), options: .create)
        var random = SeededRandom(7)
        for _ in 0..<500 {
            let line = (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(throws: ArchiveError.self) { try restore([line], into: target) }
        }
        let deep = Array(repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: ArchiveError.self) { try restore([deep], into: target) }
    }

    static let wrongLines = [
        #"{"doc":"a","revs":[{"rev":"1-ab","body":{}}]}"#,
        #"{"collection":"_bad"}"#,
        #"{"collection":"c"} x"#,
        #"{"what":1}"#,
        "[]",
        #"{"remote":0,"url":"x"}"#,
        #"{"collection":"c","unknown":1}"#,
        #"{"blob":"../../etc/passwd","length":1}"#,
        #"{"raw":"info","key":"publicUUID","body":"x"}"#,
        #"{"raw":".things","key":"a","body":"x"}"#,
        #"{"index":"i","type":0,"collection":"nowhere","sql":[]}"#,
    ]

    static let wrongDocuments = [
        #""revs":[]"#, #""revs":[1]"#, #""revs":[{"rev":"0-ab"}]"#, #""revs":[{"rev":"1-ab","body":[]}]"#,
        #""revs":[{"rev":"1-ab","parent":0}]"#,
        #""revs":[{"rev":"1-ab","parent":1}]"#, #""revs":[{"rev":"2-ab"},{"rev":"2-ab"}]"#, #""revs":[{"rev":"1-ab","flags":["new"]}]"#,
        #""revs":[{"rev":"1-ab"}],"flags":["deleted"]"#, #""revs":[{"rev":"1-ab"}],"remotes":{"1":1}"#,
        #""revs":[{"rev":"1-ab"}],"remotes":{"0":0}"#, #""revs":[{"rev":"1-ab"}],"rejected":[5]"#, #""revs":[{"rev":"1-ab"}],"seq":0"#,
        #""revs":[{"rev":"1-ab"}],"seq":-1"#, #""revs":[{"rev":"1-ab"}],"seq":1.5"#, #""revs":[{"rev":"1-ab"}],"version":"1@*""#,
        #""version":"1@*","body":{}"#, #""revs":[{"rev":"1-ab","body":{"x":{"$unknown":1}}}]"#,
        #""revs":[{"rev":"1-ab","body":{"x":{"$data":"*"}}}]"#,
        #""revs":[{"rev":"1-ab","body":{"x":{"$double":"nan"}}}]"#, #""revs":[{"rev":"18e9d1d110b40000@*"}]"#,
    ]

    @Test(arguments: wrongLines + wrongDocuments.map { #"{"doc":"d",\#($0)}"# })
    func wrongLinesAreNamed(line: String) throws {
        let target = try Database(path: path("target"), options: .create)
        let middle = line.contains(#""doc":"d""#) ? [#"{"collection":"_default"}"#, line] : [line]
        let error = #expect(throws: ArchiveError.self) { try restore(archive(middle), into: target) }
        #expect(error?.line == middle.count + 1)
    }

    /// Who writes an archive by hand need not know which revision comes first.
    @Test func revisionsMayBeInAnyOrder() throws {
        let target = try Database(path: path("target"), options: .create)
        let revisions = [
            #"{"rev":"2-01","parent":2,"body":{"n":1}},{"rev":"2-02","parent":2,"body":{"n":2}},{"rev":"1-aa"}"#,
            #"{"rev":"1-aa"},{"rev":"2-02","parent":0,"body":{"n":2}},{"rev":"2-01","parent":0,"body":{"n":1}}"#,
        ]
        let lines = revisions.enumerated().map { #"{"doc":"d\#($0)","revs":[\#($1)]}"# }
        _ = try restore(archive([#"{"collection":"_default"}"#] + lines), into: target)
        for id in ["d0", "d1"] {
            let document = try #require(try target.read { try $0.document(id) })
            #expect(document.revision.text == "2-02" && document.flags.contains(.conflicted))
        }
        var findings: [Finding] = []
        try target.read {
            _ = try Checker($0, options: .init()) { _ in
            } report: {
                findings.append($0)
            }.run()
        }
        #expect(findings == [])
    }

    @Test func documentsOccurOnce() throws {
        let target = try Database(path: path("target"), options: .create)
        let (live, dead) = (
            #"{"doc":"a","revs":[{"rev":"1-ab"}]}"#, #"{"doc":"a","flags":["deleted"],"revs":[{"rev":"1-ab","flags":["deleted"]}]}"#
        )
        for second in [live, dead] {
            #expect(throws: ArchiveError.self) { try restore(archive([#"{"collection":"_default"}"#, live, second]), into: target) }
        }
    }

    /// The first line may list the collections, which are made together then, and those are the ones that must follow.
    @Test func theCollectionsAreThoseThatTheHeaderLists() throws {
        func restored(_ list: String, _ collections: [String], _ options: Archive.RestoreOptions = .init()) throws -> [String] {
            let target = try Database(path: path("target"), options: .create)
            defer {
                target.close()
                try? Database.delete(at: target.path)
            }
            let header = #"{"archive":"cblite","version":1,"versioning":"trees","collections":\#(list)}"#
            let lines = [header] + collections.map { #"{"collection":"\#($0)"}"# } + [#"{"end":true}"#]
            try restore(lines.map { Array($0.utf8) }, into: target, options)
            return try target.read { $0.collections().map(\.description).sorted() }
        }
        #expect(try restored(#"["_default","a","b.c"]"#, ["_default", "a", "b.c"]) == ["_default", "a", "b.c"])
        #expect(try restored("[]", []) == ["_default"])
        var some = Archive.RestoreOptions()
        some.collections = [try CollectionName(name: "a")]
        #expect(try restored(#"["_default","a","b.c"]"#, ["_default", "a", "b.c"], some) == ["_default", "a"])
        for (list, collections) in [
            (#"["a"]"#, ["a", "b"]), (#"["a","b"]"#, ["a"]), (#"["a"]"#, ["a", "a"]), (#"["a b"]"#, ["a b"]), (#""a""#, ["a"]), ("[1]", []),
        ] {
            #expect(throws: ArchiveError.self, "\(list), \(collections)") { try restored(list, collections) }
        }
    }

    @Test func blobsMustBeWhatTheyAreCalled() throws {
        let target = try Database(path: path("target"), options: .create)
        let digest = "sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww="
        let start = #"{"blob":"\#(digest)","length":10}"#
        try restore(archive([start, #"{"piece":"aGVsbG8="}"#, #"{"piece":"IGJsb2I="}"#]), into: target)
        try #expect(target.blobs.list().map(\.description) == [digest])
        let wrong = [
            [#"{"piece":"aGVsbG8="}"#, #"{"piece":"IGJsb2A="}"#], [#"{"piece":"aGVsbG8="}"#], [#"{"piece":"aGVsbG8gYmxvYiE="}"#],
            [#"{"piece":""}"#],
            [#"{"piece":5}"#],
        ]
        for pieces in wrong {
            let other = try Database(path: path("other\(pieces.hashValue)"), options: .create)
            #expect(throws: ArchiveError.self) { try restore(archive([start] + pieces), into: other) }
            try #expect(other.blobs.list().isEmpty)
        }
    }

    // Values

    @Test func valuesThatJSONCannotSaySurvive() throws {
        let keys = SharedKeysBuilder()
        let encoder = FleeceEncoder(sharedKeys: keys)
        encoder.beginDictionary()
        encoder.writeKey("values")
        encoder.beginArray()
        [UInt8(0), 255, 10].withUnsafeBytes { encoder.writeData($0) }
        encoder.write(Double.infinity)
        encoder.write(-Double.infinity)
        encoder.write(Float.infinity)
        encoder.write(Float(0.1))
        encoder.write(Float(1.5))
        encoder.write(0.1)
        encoder.write(5.0)
        encoder.write(-0.0)
        encoder.write(1e22)
        encoder.write(UInt64.max)
        encoder.write(Int64.min)
        encoder.writeUndefined()
        [UInt8(0xFF), 0x41].withUnsafeBytes { encoder.writeString($0) }
        encoder.write("\u{0}\u{1F}\"\\é😀")
        for key in ["$data", "$object", "$", "plain"] {
            encoder.beginDictionary()
            encoder.writeKey(key)
            encoder.write("x")
            encoder.endDictionary()
        }
        encoder.endArray()
        encoder.endDictionary()
        let data = try encoder.finish()
        var text = ByteBuffer()
        try ArchiveValueWriter.write(data.root, byteCount: data.bytes.count, keys.state, to: &text)
        let parsed = FleeceEncoder()
        try JSONParser.parse(text.bytes, .json, into: parsed)
        let tree = try parsed.finish()
        try ArchiveValueReader.read(tree.root, into: encoder)
        let back = try encoder.finish()
        #expect(back.root.isEqual(to: data.root, keys.state, keys.state))
        var again = ByteBuffer()
        try ArchiveValueWriter.write(back.root, byteCount: back.bytes.count, keys.state, to: &again)
        #expect(again.string == text.string)
        #expect(text.string.contains(#"{"$object":{"$data":"x"}}"#))
        #expect(text.string.contains(",1.5,0.1,5.0,-0.0,"))
    }

    // Identity

    @Test func aRestoredVectorDatabaseIsAnotherOne() throws {
        let original = try Database(path: path("original"), options: Database.Options(access: .create, upgrade: .versionVectors))
        try original.write { transaction in
            try transaction.save("a", body: transaction.encode(json: #"{"n": 1}"#))
        }
        var options = Archive.DumpOptions()
        options.includesIdentity = true
        let dumped = try lines(original, options)
        let copy = try Database(path: path("copy"), options: .create)
        try restore(dumped, into: copy)
        let revision = try original.read { try #require(try $0.document("a")).revision }
        let copied = try copy.read { try #require(try $0.document("a")).revision }
        #expect(revision.text.hasSuffix("@*") && !copied.text.hasSuffix("@*"))
        try #expect(lines(copy).dropFirst().map { $0.count } == lines(original).dropFirst().map { $0.count })

        var taking = Archive.RestoreOptions()
        taking.takesIdentity = true
        let same = try Database(path: path("same"), options: .create)
        try restore(dumped, into: same, taking)
        try #expect(same.read { try $0.document("a")?.revision } == revision)
        try #expect(same.read { $0.publicUUID } == original.read { $0.publicUUID })
        // Its own versions are its own again: the next one replaces its last.
        try same.write { transaction in try transaction.save("a", body: transaction.encode(json: #"{"n": 2}"#)) }
        try #expect(same.read { try $0.document("a")?.revisions().vectors?.history.vector.versions.count } == 1)
    }

    // Merging

    @Test func anExistingDatabaseIsMergedOnlyWhenAsked() throws {
        let dumped = try lines(sample("original"))
        let target = try Database(path: path("target"), options: .create)
        try target.write { try $0.save("own", body: $0.encode(json: "{}")) }
        let error = #expect(throws: StoreError.self) { try restore(dumped, into: target) }
        #expect(error?.code == .exists)
        var options = Archive.RestoreOptions()
        options.merges = true
        try #expect(restore(dumped, into: target, options).restored.documents == 4)
        let again = try restore(dumped, into: target, options)
        #expect(again.restored.documents == 0 && again.knownDocuments == 4 && again.conflicts.isEmpty)
        try target.read { snapshot in
            try #expect(snapshot.document("own")?.sequence == 1)
            try #expect(snapshot.document("a")?.revisions().tree?.revisions.count == 2)
            try #expect(snapshot.document("a")?.expiration == 4_102_444_800_000)
            try #expect(snapshot.counts(of: .default).deleted == 1)
        }
    }

    @Test func mergingAddsNewerRevisionsAndLeavesConflictsAlone() throws {
        let original = try sample("original")
        let early = try lines(original)
        let target = try Database(path: path("target"), options: .create)
        try restore(early, into: target)
        try original.write { transaction in
            try transaction.save("a", body: transaction.encode(json: #"{"n": 3}"#))
            try transaction.save("gone", body: transaction.encode(json: #"{"back": true}"#))
        }
        try target.write { try $0.save("gone", body: $0.encode(json: #"{"other": true}"#)) }
        var options = Archive.RestoreOptions()
        options.merges = true
        let result = try restore(lines(original), into: target, options)
        #expect(result.updatedDocuments == 1)
        #expect(result.conflicts.map(\.id) == ["gone"])
        try target.read { snapshot in
            try #expect(snapshot.document("a")?.revision.generation == 3)
            let kept = try #require(try snapshot.document("gone"))
            #expect(kept.body.withRoot { $0.json(keys: snapshot.sharedKeys) } == #"{"other":true}"#)
        }
    }
}
