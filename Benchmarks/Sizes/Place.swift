import CBLBenchProcesses
import CBLStore
import FoundationEssentials
import Glibc

/// A folder with a world in it.
struct Place {
    let folder: String
    /// The folder that is served has nothing but the database.
    private var served: String { folder + "/served" }
    var data: String { folder + "/data.json" }
    var database: String { served + "/world.cblite2" }
    private var out: String { folder + "/out" }

    /// One that is there.
    init(at folder: String) { self.folder = folder }

    /// An empty one.
    init(_ folder: String) throws {
        self.init(at: folder)
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: served, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Makes the database in one transaction.
    func build(_ work: (Transaction) throws -> Void) throws {
        let database = try Database(path: database, options: .create)
        defer { database.close() }
        try database.write(work)
    }

    func removeDatabase() throws { try FileManager.default.removeItem(atPath: database) }

    func removeOutput() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("out") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    func removeData() { try? FileManager.default.removeItem(atPath: data) }

    func resolved(_ arguments: [String], url: String) -> [String] {
        arguments.map {
            $0.replacing("{db}", with: database).replacing("{data}", with: data).replacing("{out}", with: out).replacing("{url}", with: url)
        }
    }

    /// Starts a server of the database. Its URL is for replicators.
    func serve(_ program: String) throws -> (server: ServedProgram, url: String) {
        let server = try ServedProgram(program, directory: served)
        return (server, server.url.replacing("http://", with: "ws://") + "world")
    }

    static func size(of path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    var databaseSize: Int { Place.size(of: database + "/db.sqlite3") + Place.size(of: database + "/db.sqlite3-wal") }
}
