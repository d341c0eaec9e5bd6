import CBLSQLite
import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Reading must not change a byte of a bundle, nor leave a file in it, whoever else has it open.
@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct ReadOnlyTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Name, content and time of every file. Only for bundles that no connection of this process has locks on.
    static func state(of path: String) throws -> [String: Data] {
        var state: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let file = path + "/" + name
            var status = stat()
            stat(file, &status)
            let content = status.st_mode & S_IFMT == S_IFDIR ? Data() : try Data(contentsOf: URL(filePath: file))
            state[name] = content + Data("\(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)".utf8)
        }
        return state
    }

    static func readEverything(_ path: String) throws -> Int {
        let database = try Database(path: path)
        defer { database.close() }
        return try database.read { snapshot in
            var count = 0
            for name in snapshot.collections() {
                for order in [ScanOptions.Order.id, .sequence] {
                    var options = ScanOptions(order: order, content: .everything)
                    options.includesDeleted = true
                    let cursor = try snapshot.scan(name, options)
                    while try cursor.next() { count += 1 }
                }
                _ = try (snapshot.counts(of: name), snapshot.lastSequence(of: name), snapshot.purgeCount(of: name))
            }
            _ = try (snapshot.indexes(), snapshot.remotes(), snapshot.rawStores())
            return count
        }
    }

    static let bundles = [
        "v2.x/upgrade_2.7", "v2.x/upgrade_2.8", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted",
        "v3.x/upgrade_3.1_peerCheckpoints", "v3.x/words_db", "v4.x/revtrees_4.1", "v4.x/vectors_4.1", "v4.x/types_4.1",
        "v4.x/upgraded_1.3_by_4.1", "v4.x/upgraded_2.7_to_vectors", "v4.x/upgraded_2.8_index_by_4.1", "v4.x/upgraded_3.0_by_4.1",
        "v4.x/upgraded_3.1_by_4.1",
    ]

    @Test(arguments: bundles) func aClosedDatabaseIsLeftAsItIs(_ name: String) throws {
        let path = try Fixtures.copy(name + ".cblite2", to: directory)
        let before = try Self.state(of: path)
        try #expect(Self.readEverything(path) > 0)
        try #expect(Self.state(of: path) == before)
    }

    @Test func theLogOfACrashIsReadAndLeft() throws {
        let path = try Fixtures.copy("v4.x/upgraded_3.1_by_4.1.cblite2", to: directory)
        let crashed = directory.path + "/crashed.cblite2"
        do {
            let database = try Database(path: path, options: .readWrite)
            try database.write { try $0.save("in-the-log", body: .emptyDictionary) }
            // What is on disk now is what a process that dies here leaves.
            try FileManager.default.copyItem(atPath: path, toPath: crashed)
            unlink(crashed + "/db.sqlite3-shm")
        }
        #expect(FileManager.default.fileExists(atPath: crashed + "/db.sqlite3-wal"))
        let before = try Self.state(of: crashed)
        do {
            let database = try Database(path: crashed)
            try database.read { try #expect($0.document("in-the-log") != nil) }
        }
        _ = try Self.readEverything(crashed)
        try #expect(Self.state(of: crashed) == before)
    }

    @Test func aDatabaseThatAnotherProcessHasOpenIsLeftAsItIs() throws {
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let other = try #require(try OtherProcess(database: path + "/db.sqlite3"), "needs the program sqlite3")
        try other.run("INSERT INTO kv_info (key, body) VALUES ('other', x'01');")
        let before = try Self.state(of: path)
        #expect(before["db.sqlite3-wal"].map { $0.count > 100 } == true)
        do {
            let database = try Database(path: path)
            try database.read { snapshot in try #expect(snapshot.connection.integer("SELECT count(*) FROM kv_info WHERE key='other'") == 1)
            }
            // Another commit of that process is seen, too.
            try other.run("INSERT INTO kv_info (key, body) VALUES ('other2', x'01');")
            try database.read { snapshot in
                try #expect(snapshot.connection.integer("SELECT count(*) FROM kv_info WHERE key LIKE 'other%'") == 2)
            }
        }
        let between = try Self.state(of: path)
        _ = try Self.readEverything(path)
        try #expect(Self.state(of: path) == between)
        try other.run("INSERT INTO kv_info (key, body) VALUES ('other3', x'01');")
    }

    @Test func aSessionNoticesWhatAnotherProcessDoesLater() throws {
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let database = try Database(path: path)
        let count = try database.read { try $0.connection.integer("SELECT count(*) FROM kv_info") ?? 0 }
        let other = try #require(try OtherProcess(database: path + "/db.sqlite3"), "needs the program sqlite3")
        try other.run("INSERT INTO kv_info (key, body) VALUES ('other', x'01');")
        try database.read { try #expect($0.connection.integer("SELECT count(*) FROM kv_info") == count + 1) }
        other.end()
        try database.read { try #expect($0.connection.integer("SELECT count(*) FROM kv_info") == count + 1) }
    }

    /// Who has found damage asks before he says so.
    @Test func whoReadsForLongCanAskWhetherItIsStillTheSame() throws {
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let database = try Database(path: path)
        let failure = try? database.read { snapshot in
            try snapshot.checkIsUnchanged()
            let other = try #require(try OtherProcess(database: path + "/db.sqlite3"), "needs the program sqlite3")
            try other.run("INSERT INTO kv_info (key, body) VALUES ('other', x'01');")
            // The last one to have it open moves what is in the log into the file.
            other.end()
            return #expect(throws: StoreError.self) { try snapshot.checkIsUnchanged() }
        }
        #expect(failure == nil, "nor is what was read taken for something")
        try database.read { try $0.checkIsUnchanged() }
    }
}

/// The program `sqlite3` with a database open, in a process of its own.
final class OtherProcess {
    private let input: Int32
    private let output: Int32
    private var process: pid_t = 0

    init?(database: String) throws {
        let places: [String] = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"]
        guard let program = places.first(where: { access($0, X_OK) == 0 }) else { return nil }
        var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
        pipe(&toChild)
        pipe(&fromChild)
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = (["sqlite3", database] as [String]).map { strdup($0) } + [nil]
        posix_spawn(&process, program, &actions, nil, &arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        close(toChild[0])
        close(fromChild[1])
        (input, output) = (toChild[1], fromChild[0])
    }

    /// Runs statements, and waits until they are done.
    func run(_ sql: String) throws {
        let text = sql + "\nSELECT 'done';\n"
        _ = text.utf8.withContiguousStorageIfAvailable { write(input, $0.baseAddress, $0.count) }
        var seen = ""
        var buffer = [UInt8](repeating: 0, count: 1000)
        while !seen.contains("done\n") {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { throw StoreError(.inputOutput, "the other process has ended") }
            seen += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    /// Ends it in good order, so that the log is emptied.
    func end() {
        guard process != 0 else { return }
        close(input)
        close(output)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        process = 0
    }

    deinit { end() }
}
