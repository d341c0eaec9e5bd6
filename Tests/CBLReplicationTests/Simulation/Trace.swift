import CBLStore
import FoundationEssentials

@testable import CBLReplication

/// What happens to one document, for somebody who looks for the cause of a failure: `CBLITE_SIMULATION_TRACE=doc5`.
enum Trace {
    private static let document = ProcessInfo.processInfo.environment["CBLITE_SIMULATION_TRACE"]

    static func note(_ id: String, _ text: @autoclosure () throws -> String) rethrows {
        if id == document { print("   ", try text()) }
    }

    static func note(_ request: WireRequest, number: UInt64, from end: String) {
        guard let document else { return }
        let body = String(decoding: request.body, as: UTF8.self)
        guard request.properties["id"] == document || body.contains("\"\(document)\"") else { return }
        let properties = request.properties.items.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        print("   ", end, "\(number):", request.profile, properties, body)
    }

    static func note(_ reply: WireReply, to number: UInt64, from end: String) {
        guard document != nil, !reply.body.isEmpty else { return }
        print("   ", end, "answers \(number):", reply.isError ? "error" : "", String(decoding: reply.body, as: UTF8.self))
    }

    /// How the document stands in a database.
    static func note(_ replica: Replica, _ collection: CollectionName, after what: @autoclosure () -> String) throws {
        guard let document else { return }
        let text = try replica.database.read { snapshot -> String in
            guard let found = try snapshot.document(document, in: collection) else { return "nothing" }
            switch try found.revisions() {
            case .tree(let tree):
                let marks = tree.remoteIDs.map { "\($0): \(tree.latest(onRemote: $0)?.id.text.prefix(6) ?? "-")" }
                return tree.revisions.map {
                    "\($0.id.text.prefix(6))\($0.isLeaf ? "*" : "")\($0.isConflict ? "!" : "")\($0.isDeleted ? "x" : "")"
                }.joined(separator: " ") + " [\(marks.joined(separator: " "))]"
            case .vectors(let vectors):
                return "\(snapshot.global(vectors.history)) "
                    + vectors.remoteIDs.map { remote in
                        let latest = vectors.latest(onRemote: remote)
                        return
                            "[\(remote): \(latest?.id.map { snapshot.global($0).text } ?? "-")\(latest?.isConflicted ?? false ? "!" : "")]"
                    }.joined()
            }
        }
        print("    replica \(replica.number) \(collection.name):", text, "after", what())
    }
}
