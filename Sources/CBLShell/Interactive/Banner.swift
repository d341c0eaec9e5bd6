import CBLBase
import CBLStore
import CBLWorkbench

/// The lines that say what was opened.
enum Banner {
    // Counting the documents of larger files would keep the prompt waiting.
    private static let largestCounted = 16 << 20

    static func lines(_ session: Session) throws -> [String] {
        guard let database = session.openDatabase else { return [] }
        let size = BundleFacts(database.path).database
        return try database.read { snapshot in
            let names = snapshot.collections()
            let documents: String
            if size <= largestCounted {
                let count = try names.reduce(0) { try $0 + snapshot.counts(of: $1).live }
                documents = count == 1 ? "1 document" : "\(ProgressLine.grouped(count)) documents"
            } else {
                // The number of changes is known without looking: there cannot be more documents than that.
                let limit = try names.reduce(0.0) { try $0 + Double(snapshot.lastSequence(of: $1)) }
                documents = "up to \(ProgressLine.grouped(Int(min(limit, 1e18)))) documents"
            }
            let collections = names.count == 1 ? "1 collection" : "\(names.count) collections"
            let access = database.isReadOnly ? "read-only" : "writable"
            return [
                "\(PathText.name(database.path)): format \(snapshot.generation.releases), \(SizeText.text(size)), \(documents) in \(collections), \(access).",
                "\"help\" lists the commands, Tab completes, Ctrl-D leaves.",
            ]
        }
    }
}
