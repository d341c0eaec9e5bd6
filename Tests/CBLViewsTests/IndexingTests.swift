import CBLFleece
import CBLStore
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLViews

@Suite struct IndexingTests {
    @Test func rowsStandInTheOrderOfKeysAndThenOfDocuments() throws {
        let test = try ViewDatabase()
        for (id, name) in [("c", "Zoe"), ("b", "adam"), ("a", "Zoe"), ("d", "Émile"), ("e", "Adam")] {
            try test.put(id, #"{"name":"\#(name)"}"#)
        }
        try test.put("f", "{}")
        #expect(try test.rows(.of("name")) == [#""adam" @b"#, #""Adam" @e"#, #""Émile" @d"#, #""Zoe" @a"#, #""Zoe" @c"#])
    }

    @Test func onlyWhatChangedIsMappedAgain() throws {
        let test = try ViewDatabase()
        for number in 0..<20 { try test.put("doc\(number)", #"{"n":\#(number)}"#) }
        let view = ViewDefinition.of("n")
        #expect(try test.index.update([view]) == IndexingReport(documents: 20, rebuilt: ["by n"], vanished: 0))
        #expect(try test.index.update([view]) == IndexingReport())
        try test.put("doc3", #"{"n":100}"#)
        try test.delete("doc4")
        #expect(try test.index.update([view]) == IndexingReport(documents: 2))
        let rows = try test.rows(view)
        #expect(rows.count == 19)
        #expect(rows.last == "100 @doc3")
        #expect(!rows.contains("3 @doc3") && !rows.contains("4 @doc4"))
        #expect(try test.index.entries().first?.rows == 19)
    }

    @Test func purgedDocumentsVanish() throws {
        let test = try ViewDatabase()
        for number in 0..<5 { try test.put("doc\(number)", #"{"n":\#(number)}"#) }
        let view = ViewDefinition.of("n")
        #expect(try test.rows(view).count == 5)
        _ = try test.database.write { try $0.purge("doc2") }
        #expect(try test.index.update([view]).vanished == 1)
        #expect(try test.rows(view) == ["0 @doc0", "1 @doc1", "3 @doc3", "4 @doc4"])
        // A deletion and a purge at once.
        try test.delete("doc3")
        _ = try test.database.write { try $0.purge("doc0") }
        #expect(try test.rows(view) == ["1 @doc1", "4 @doc4"])
    }

    @Test func anotherVersionIsIndexedAnew() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1,"m":2}"#)
        #expect(try test.rows(.of("n")) == ["1 @a"])
        let other = ViewDefinition("by n", version: "2") { $1.emit($0["m"]) }
        #expect(try test.rows(other) == ["2 @a"])
    }

    @Test func theIndexStaysWhenTheDatabaseIsClosed() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1}"#)
        #expect(try test.rows(.of("n")) == ["1 @a"])
        try test.reopen()
        #expect(try test.index.update([.of("n")]) == IndexingReport())
        #expect(try test.rows(.of("n")) == ["1 @a"])
    }

    @Test func aDatabaseForReadingHasATemporaryIndex() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1}"#)
        try test.reopen(.readOnly)
        #expect(test.index.path == nil)
        #expect(try test.rows(.of("n")) == ["1 @a"])
        #expect(try test.rows(.of("n")) == ["1 @a"])
    }

    @Test func aDatabaseThatWentBackIsNoticed() throws {
        let test = try ViewDatabase()
        for number in 0..<5 { try test.put("doc\(number)", #"{"n":\#(number)}"#) }
        #expect(try test.rows(.of("n")).count == 5)
        test.index.close()
        test.database.close()
        // As one does who restores an older copy under the old name: here it is another database of that name.
        let other = try Database(path: test.directory.path + "/other.cblite2", options: .create)
        try other.write { transaction in for number in 0..<9 { try transaction.put("other\(number)", #"{"n":\#(number)}"#) } }
        other.close()
        rename(test.path, test.path + "-old")
        rename(test.directory.path + "/other.cblite2", test.path)
        try test.reopen()
        #expect(try test.rows(.of("n")).first == "0 @other0")
        #expect(try test.rows(.of("n")).count == 9)
    }

    @Test func aCollectionThatWasMadeAgainIsIndexedAnew() throws {
        let test = try ViewDatabase()
        let name = try CollectionName(parsing: "things")
        var view = ViewDefinition.of("n")
        view.collection = name
        try test.database.write { _ = try $0.createCollection(name) }
        for number in 0..<3 { try test.put("doc\(number)", #"{"n":\#(number)}"#, in: name) }
        #expect(try test.rows(view).count == 3)
        try test.database.write { try $0.deleteCollection(name) }
        try test.database.write { _ = try $0.createCollection(name) }
        for number in 5..<9 { try test.put("new\(number)", #"{"n":\#(number)}"#, in: name) }
        #expect(try test.rows(view) == ["5 @new5", "6 @new6", "7 @new7", "8 @new8"])
    }

    @Test func documentsOfOtherTypesAreNotMapped() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"type":"x","n":1}"#)
        try test.put("b", #"{"type":"y","n":2}"#)
        #expect(try test.rows(.of("n", type: "x")) == ["1 @a"])
    }

    @Test func aMapThatFailsDropsTheRowsOfItsDocument() throws {
        struct Refusal: Error {}
        let test = try ViewDatabase()
        for number in 0..<4 { try test.put("doc\(number)", #"{"n":\#(number)}"#) }
        let failures = FailureLog()
        let view = ViewDefinition("odd", version: "1") { document, emitter in
            emitter.emit(document["n"])
            if document["n"].integer == 1 { throw Refusal() }
            if document["n"].integer == 2 { emitter.emit(.number(.nan)) }
        }
        try test.index.update([view], IndexingOptions(onFailure: { failures.add($0.documentID) }))
        #expect(try test.rows(view) == ["0 @doc0", "3 @doc3"])
        #expect(failures.all.sorted() == ["doc1", "doc2"])
    }

    @Test func severalViewsAreMadeInOnePass() throws {
        let test = try ViewDatabase()
        for number in 0..<4 { try test.put("doc\(number)", #"{"n":\#(number),"m":\#(-number)}"#) }
        #expect(try test.index.update([.of("n"), .of("m")]).documents == 4)
        try test.put("doc9", #"{"n":9,"m":-9}"#)
        #expect(try test.index.update([.of("n"), .of("m")]).documents == 1)
        #expect(try test.rows(.of("m")).first == "-9 @doc9")
    }

    @Test func theDocumentIsSeenAsIn1x() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":[1,{"x":null}]}"#)
        let view = ViewDefinition("whole", version: "1") { document, emitter in
            try document.withWhole { whole in
                emitter.emit(document.idBytes.isEmpty ? .missing : .string(document.id), .string(whole.json()))
            }
        }
        let row = try test.rows(view)[0]
        #expect(row.contains(#"\"_id\":\"a\""#) && row.contains(#"\"_local_seq\":1"#) && row.contains(#"\"_rev\":\""#))
        #expect(row.contains(#"\"n\":[1,{\"x\":null}]"#))
    }

    @Test func kindsOfValuesStayApart() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1}"#)
        let view = ViewDefinition("kinds", version: "1") { document, emitter in
            emitter.emit(1)
            emitter.emit(2, .null)
            emitter.emit(3, .document)
            emitter.emit(4, ["x", 5, 2.5, false, .dictionary([("k", document["n"].item)])])
            emitter.emit(document["missing"])
            emitter.emit(.null, "null key")
        }
        let rows = try test.rows(view)
        #expect(rows[0] == #"null "null key" @a"#)
        #expect(rows[1] == "1 @a")
        #expect(rows[2] == "2 null @a")
        #expect(rows[3].hasPrefix(#"3 {"#) && rows[3].contains(#""_id":"a""#) && rows[3].contains(#""n":1"#))
        #expect(rows[4] == #"4 ["x",5,2.5,false,{"k":1}] @a"#)
        #expect(rows.count == 5)
    }

    /// Whatever happens to documents, the index is that of a new one, also when it is made piece by piece on two threads.
    @Test(arguments: [1, 2, 3]) func updatesGiveWhatANewIndexHas(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let test = try ViewDatabase()
        let view = ViewDefinition("random", version: "1") { document, emitter in
            for item in document["keys"].array.map(Array.init) ?? [] { emitter.emit(item, document["v"]) }
        }
        let words = ["a", "B", "é", "ab", "[1]", "z"]
        for _ in 0..<12 {
            try test.database.write { transaction in
                for _ in 0..<random.below(60) {
                    let id = "doc\(random.below(80))"
                    switch random.below(10) {
                    case 0: _ = try transaction.purge(id)
                    case 1, 2:
                        if let document = try transaction.document(id), !document.isDeleted { _ = try transaction.delete(document) }
                    default:
                        let keys = (0..<random.below(4)).map { _ in
                            random.below(3) == 0
                                ? "[\(random.below(3)),\(random.below(3))]" : JSONWriter.quoted(words[random.below(words.count)])
                        }
                        try transaction.put(id, #"{"keys":[\#(keys.joined(separator: ","))],"v":\#(random.below(9))}"#)
                    }
                }
            }
            let updated = try test.rows(view)
            let fresh = ViewIndex(test.database, .temporary)
            var options = IndexingOptions()
            (options.pieceLength, options.fewestRows, options.mostMemory) = (7, 10, 600)
            try fresh.update([view], options)
            let list = try fresh.rows(view)
            let expected = (0..<list.count).map { list.json($0) + " @" + list.documentID($0) }
            #expect(updated == expected)
        }
    }
}

final class FailureLog: Sendable {
    private let entries = Mutex<[String]>([])
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
}
