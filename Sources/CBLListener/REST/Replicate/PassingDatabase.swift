import CBLReplication
import CBLStore
import FoundationEssentials
import Glibc

/// A database between two others, for as long as a replication from one to the other takes. Nobody else can read it.
final class PassingDatabase: Sendable {
    let database: Database
    private let folder: String

    init() throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/cblite-passing-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw RESTError(500, "Database error!", "\(parent): no folder can be made there") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        do { database = try Database(path: folder + "/passing.cblite2", options: .create) } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    deinit {
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
