import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLStore

/// Our reading of the 4.1 fixtures against what the vendor's own library reads from them.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct ReportedRevisionsTests {
    @Test(arguments: [
        "revtrees_4.1", "types_4.1", "upgraded_1.3_by_4.1", "upgraded_2.8_index_by_4.1", "upgraded_3.0_by_4.1", "upgraded_3.1_by_4.1",
    ])
    func treesAreReadAsTheVendorReadsThem(fixture: String) throws {
        let records = try StoredRecord.all(in: "v4.x/\(fixture).cblite2")
        let keys = try StoredRecord.sharedKeys(of: "v4.x/\(fixture).cblite2")
        // The bodies of this one's report are not all JSON.
        let hasBodies = fixture != "types_4.1"
        for document in try fixture == "types_4.1" ? [] : ReportedDocument.all(of: fixture) {
            let record = try #require(document.record(in: records), "\(document.id)")
            let tree = try record.tree()
            try tree.checkInvariants()
            let revisions = tree.revisions.map { revision in
                ReportedDocument.Revision(
                    id: revision.id.text, flags: Int64(revision.flags.rawValue),
                    body: hasBodies ? revision.body.map { json($0.bytes, keys) } : nil,
                    history: nil, sequence: Int64(revision.sequence))
            }
            #expect(revisions == document.revisions, "\(document.id)")
            #expect(Int64(record.documentFlags.subtracting(.synced).rawValue) | 0x1000 == document.flags, "\(document.id)")
            #expect(tree.isConflicted == record.documentFlags.contains(.conflicted))
        }
    }

    @Test(arguments: ["vectors_4.1", "upgraded_2.7_to_vectors"])
    func vectorsAreReadAsTheVendorReadsThem(fixture: String) throws {
        let records = try StoredRecord.all(in: "v4.x/\(fixture).cblite2")
        let keys = try StoredRecord.sharedKeys(of: "v4.x/\(fixture).cblite2")
        for document in try ReportedDocument.all(of: fixture) {
            let record = try #require(document.record(in: records), "\(document.id)")
            let revisions = try record.vectorRevisions()
            let current = try #require(revisions.current)
            func reported(_ revision: VectorRevisions.Revision, _ history: RevisionHistory, isCurrent: Bool) -> ReportedDocument.Revision {
                var flags: RevisionTree.Flags = isCurrent || revision.isConflicted ? .leaf : []
                if revision.isDeleted { flags.insert(.deleted) }
                if revision.isConflicted { flags.insert(.conflict) }
                if revision.flags.contains(.hasAttachments) { flags.insert(.hasAttachments) }
                return ReportedDocument.Revision(
                    id: revision.id?.text ?? "", flags: Int64(flags.rawValue), body: revision.properties.map { json($0.bytes, keys) },
                    history: history.description, sequence: Int64(record.sequence))
            }
            var all = [reported(current, revisions.history, isCurrent: true)]
            for remote in revisions.remoteIDs {
                guard let revision = revisions.latest(onRemote: remote) else { continue }
                let history = RevisionHistory(vector: revision.version.vector, treeIDs: revision.version.treeID.map { [$0] } ?? [])
                all.append(reported(revision, history, isCurrent: false))
            }
            #expect(all == document.revisions, "\(document.id)")
            #expect(Int64(record.documentFlags.subtracting(.synced).rawValue) | 0x1000 == document.flags, "\(document.id)")
        }
    }
}
