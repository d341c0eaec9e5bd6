import Testing

@testable import CBLStore

@Suite struct RevisionHistoryTests {
    @Test(arguments: [
        "18e9d1d110c00000@*; 3-abcd012345", "3-abcd012345", "3-aa, 2-bb", "1@*", "2@*; 1@ZegpoldZegpoldZegpoldA, 3-aa, 2-bb",
        "2@*, 1@ZegpoldZegpoldZegpoldA; 3-aa",
    ])
    func aHistoryIsReadAndWritten(text: String) throws {
        #expect(try RevisionHistory(parsing: text).description == text)
    }

    @Test(arguments: ["", "1-aa; 2@*", "1-aa, 2@*", "1-aa;", "x", "1-aa,"])
    func otherTextsAreRefused(text: String) {
        #expect(throws: RevisionError.self) { try RevisionHistory(parsing: text) }
    }

    @Test(arguments: [
        ("1-abcd", "1abcd000000@Revision+Tree+Encoding"), ("12345-e0c8012361ff", "3039e0c8012361@Revision+Tree+Encoding"),
        ("4294967295-ffffffffff", "7fffffffffffffff@Revision+Tree+Encoding"),
    ])
    func aTreeIDStandsForAVersion(id: String, version: String) throws {
        #expect(Version(legacy: try RevisionID(parsing: id)).description == version)
    }

    // Vectors and tree IDs of both sides that stand in the relation that a row or a column is named after.
    private static let vectors = [
        ("both empty", "", ""), ("a empty", "", "1@*"), ("b empty", "1@*", ""), ("same", "1@*", "1@*"), ("a older", "1@*", "2@*"),
        ("a newer", "2@*", "1@*"),
    ]
    private static let trees = [
        ("both empty", "", ""), ("a empty", "", "1-aa"), ("b empty", "1-aa", ""), ("same", "1-aa", "1-aa"),
        ("a older", "1-aa", "2-bb, 1-aa"),
        ("a newer", "2-bb, 1-aa", "1-aa"),
    ]
    private static let table: [[RevisionOrder]] = [
        [.same, .older, .newer, .same, .older, .newer],
        [.older, .older, .conflict, .older, .older, .conflict],
        [.newer, .conflict, .newer, .newer, .conflict, .newer],
        [.same, .conflict, .conflict, .same, .conflict, .conflict],
        [.older, .conflict, .conflict, .older, .conflict, .conflict],
        [.newer, .conflict, .conflict, .newer, .conflict, .conflict],
    ]

    @Test(arguments: 0..<6, 0..<6)
    func vectorsAndTreesTogetherDecide(row: Int, column: Int) throws {
        func history(_ vector: String, _ trees: String) throws -> RevisionHistory {
            let text = [vector, trees].filter { !$0.isEmpty }.joined(separator: "; ")
            return text.isEmpty ? RevisionHistory() : try RevisionHistory(parsing: text)
        }
        let (vectors, trees) = (Self.vectors[row], Self.trees[column])
        let a = try history(vectors.1, trees.1)
        let b = try history(vectors.2, trees.2)
        #expect(a.order(relativeTo: b) == Self.table[row][column], "vectors: \(vectors.0), trees: \(trees.0)")
    }

    @Test(arguments: [
        ("1-abcd", "1abcd000000@Revision+Tree+Encoding", RevisionOrder.same), ("1abcd000000@Revision+Tree+Encoding", "1-abcd", .same),
        ("1-abce", "1abcd000000@Revision+Tree+Encoding", .conflict), ("2@ZegpoldZegpoldZegpoldA", "2@*", .conflict),
        ("2-aa, 1-aa", "2-bb, 1-aa", .conflict),
        ("2-aa", "2-bb", .conflict), ("3-aa, 1-bb", "2-cc, 1-dd", .conflict),
    ])
    func otherHistoriesAreCompared(a: String, b: String, order: RevisionOrder) throws {
        let (a, b) = (try RevisionHistory(parsing: a), try RevisionHistory(parsing: b))
        #expect(a.order(relativeTo: b) == order)
    }
}
