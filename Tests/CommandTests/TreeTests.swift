import CBLTestSupport
import FoundationEssentials
import Testing

@Suite struct TreeTests {
    private struct Answer: Decodable {
        struct Index: Decodable { let name: String, kind: String, size: Int }
        struct Collection: Decodable {
            let name: String, scope: String, documents: Int, deleted: Int, size: Int, documentSize: Int, indexes: [Index]
        }
        let size: Int, estimated: Bool, collections: [Collection]
        let blobs: Int, blobSize: Int, tableSize: Int, freeSize: Int, logSize: Int, fileSize: Int
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: [
            "v2.x/upgrade_2.7", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted", "v3.x/words_db", "v4.x/revtrees_4.1",
            "v4.x/types_4.1", "v4.x/upgraded_1.3_by_4.1",
        ]) func partsAddUpToTheBundle(name: String) throws
    {
        let path = Fixtures.path(name + ".cblite2")
        for flags in [[], ["--exact"]] {
            let result = try Program.run(["tree", "--json"] + flags + [path])
            #expect(result.exitCode == 0, "\(result.errors)")
            let answer = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
            let parts = answer.collections.reduce(0) { $0 + $1.size }
            #expect(parts + answer.blobSize + answer.tableSize + answer.freeSize + answer.logSize + answer.fileSize == answer.size)
            #expect(answer.collections.allSatisfy { $0.indexes.reduce($0.documentSize) { $0 + $1.size } == $0.size })
            #expect(answer.collections.flatMap(\.indexes).allSatisfy { $0.size > 0 })
            #expect(!answer.estimated)
        }
    }

    @Test func collectionsStandBelowTheirScopesAndIndexesBelowThem() throws {
        let scratch = try Scratch(["a": #"{"n": 1}"#])
        try scratch.expect(["mkcoll", "shop.goods"])
        try scratch.expect(["put", "x", #"{"n": 2}"#], flags: ["-C", "shop.goods"])
        try scratch.expect(["mkindex", "byN", "n"], flags: ["-C", "shop.goods"])
        let lines = try scratch.expect(["tree"], environment: ["LC_ALL": "C"]).lines
        #expect(lines[2].hasPrefix("scratch.cblite2") && lines[2].contains("100%") && lines[2].hasSuffix("####################"))
        let beginnings = ["  _default ", "  shop ", "    goods ", "      (documents) ", "      byN (value index) "]
        #expect(zip(lines.dropFirst(3), beginnings).allSatisfy { $0.hasPrefix($1) })
        try scratch.expectFailure(["tree"], exitCode: 2, "whole database", flags: ["-C", "shop.goods"])
    }
}
