import CBLFleece
import CBLStore
import Testing

@testable import CBLReplication

/// Three-way merges of properties.
@Suite struct PropertyMergeTests {
    /// A document with these sides; the longer history is the local one's, so it is preferred.
    private func conflict(_ base: String?, _ local: String?, _ remote: String?, prefersLocal: Bool = true) throws -> SyncConflict {
        let (mine, theirs) = prefersLocal ? ("3-aa", "2-bb") : ("2-aa", "3-bb")
        return try SyncConflict(
            documentID: "doc", collection: .default, localRevision: try RevisionID(parsing: mine),
            remoteRevision: try RevisionID(parsing: theirs),
            local: local.map { try DocumentProperties(json: $0) }, remote: remote.map { try DocumentProperties(json: $0) },
            base: base.map { try DocumentProperties(json: $0) })
    }

    private func merged(_ base: String?, _ local: String, _ remote: String, prefersLocal: Bool = true) throws -> String {
        switch try SyncResolution.merge(conflict(base, local, remote, prefersLocal: prefersLocal)) {
        case .merged(let properties): properties.json(style: .canonical)
        case .local: "local"
        case .remote: "remote"
        case .deleted: "deleted"
        }
    }

    @Test(
        arguments: [
            // Each side has changed something else.
            (#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"a":1,"b":3}"#, #"{"a":2,"b":3}"#),
            // Added and removed on either side.
            (#"{"a":1,"b":1}"#, #"{"a":1,"c":5}"#, #"{"a":1,"b":1,"d":6}"#, #"{"a":1,"c":5,"d":6}"#),
            // Changed here, removed there: the preferred side's word.
            (#"{"a":1}"#, #"{"a":2,"b":1}"#, #"{"c":1}"#, #"{"a":2,"b":1,"c":1}"#),
            (#"{"a":1}"#, #"{"b":1}"#, #"{"a":2,"c":1}"#, #"{"b":1,"c":1}"#),
            // The same on both sides is no conflict.
            (#"{"a":1}"#, #"{"a":2,"b":1}"#, #"{"a":2}"#, "local"), (#"{"a":1}"#, #"{"a":1}"#, #"{"a":2}"#, "remote"),
            // Objects are looked into, arrays and blobs are not.
            (#"{"o":{"x":1,"y":1}}"#, #"{"o":{"x":2,"y":1}}"#, #"{"o":{"x":1,"y":2}}"#, #"{"o":{"x":2,"y":2}}"#),
            (#"{"l":[1]}"#, #"{"l":[1,2]}"#, #"{"l":[1,3],"n":1}"#, #"{"l":[1,2],"n":1}"#),
            (
                #"{"b":{"@type":"blob","digest":"a","length":1}}"#, #"{"b":{"@type":"blob","digest":"b","length":1}}"#,
                #"{"b":{"@type":"blob","digest":"a","length":2}}"#, "local"
            ),
            // Without an ancestor everything stays.
            (nil, #"{"a":1,"b":2}"#, #"{"a":3,"c":4}"#, #"{"a":1,"b":2,"c":4}"#),
            (nil, #"{"o":{"x":1}}"#, #"{"o":{"y":2}}"#, #"{"o":{"x":1,"y":2}}"#),
            // One was an object, and the other is none.
            (#"{"o":1}"#, #"{"o":{"x":1}}"#, #"{"o":[1],"n":1}"#, #"{"n":1,"o":{"x":1}}"#),
        ] as [(String?, String, String, String)])
    func changesOfBothSidesAreTaken(base: String?, local: String, remote: String, result: String) throws {
        #expect(try merged(base, local, remote) == result)
    }

    @Test func bothReplicasComeToTheSame() throws {
        let sides = [#"{"a":1,"b":{"c":1},"d":[1]}"#, #"{"a":2,"b":{"c":3},"e":1}"#, #"{"a":3,"b":{"c":1,"x":1},"d":[2]}"#, "{}"]
        for base in [nil] + sides.map(Optional.some) {
            for one in sides {
                for other in sides where one != other {
                    func result(_ local: String, _ remote: String, prefersLocal: Bool) throws -> String {
                        switch try merged(base, local, remote, prefersLocal: prefersLocal) {
                        case "local": try DocumentProperties(json: local).json(style: .canonical)
                        case "remote": try DocumentProperties(json: remote).json(style: .canonical)
                        case let json: json
                        }
                    }
                    #expect(try result(one, other, prefersLocal: true) == result(other, one, prefersLocal: false))
                }
            }
        }
    }

    @Test func aDeletionWins() throws {
        #expect(try SyncResolution.merge(conflict("{}", nil, #"{"a":1}"#)) == .local)
        #expect(try SyncResolution.merge(conflict("{}", #"{"a":1}"#, nil)) == .remote)
    }
}
