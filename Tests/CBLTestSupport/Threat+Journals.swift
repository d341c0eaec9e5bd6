import FoundationEssentials

extension Threat {
    /// Journals of transactions that never were: what SQLite puts back, and what it deletes afterwards.
    static let journals: [Threat] =
        [
            ("a file of the user", HostileScene.victimText), ("a database of the user", HostileScene.victimFile),
            ("a file that names others and a pipe", "../victim/super"), ("the pipe itself", "../victim/pipe"),
            ("a file outside through the bundle", HostileBundle.name + "/../../victim/notes/letter.txt"),
        ].flatMap { what, path in
            [false, true].map { isAbsolute in
                // Every other one puts a page back as well.
                journal(
                    "names \(what) as its super-journal\(isAbsolute ? " by its whole path, and puts a page back" : "")",
                    hasPages: isAbsolute
                ) { bundle in isAbsolute ? bundle.scene.work + "/" + path : path }
            }
        } + [
            journal("names its own database as its super-journal", hasPages: false) { _ in HostileBundle.name + "/db.sqlite3" },
            Threat("a journal that makes the file empty", occupies: ["journal"], sparesDocuments: false) { bundle in
                try bundle.write(HostileJournal.journal(of: 0), to: "db.sqlite3-journal")
            },
            Threat("a journal that puts garbage back", occupies: ["journal"], sparesDocuments: false) { bundle in
                let garbage = (0..<4096).map { _ in UInt8(bundle.withRandom { $0.below(256) }) }
                try bundle.write(HostileJournal.journal(pages: [(2, garbage), (5, garbage)], of: 9), to: "db.sqlite3-journal")
            },
            Threat("a journal of random bytes", occupies: ["journal"]) { bundle in
                let garbage = (0..<2000).map { _ in UInt8(bundle.withRandom { $0.below(256) }) }
                try bundle.write(garbage, to: "db.sqlite3-journal")
            },
            // Its page size is the largest number, as is the size of a sector.
            Threat("a journal with absurd sizes", occupies: ["journal"]) { bundle in
                var bytes = HostileJournal.journal(of: UInt32.max)
                for index in 20..<28 { bytes[index] = 0xFF }
                try bundle.write(bytes, to: "db.sqlite3-journal")
            },
        ]

    private static func journal(_ what: String, hasPages: Bool, superJournal: @escaping @Sendable (HostileBundle) -> String) -> Threat {
        Threat("a journal that \(what)", occupies: ["journal"]) { bundle in
            let bytes = Array(try Data(contentsOf: URL(filePath: bundle.file)))
            let count = UInt32(bytes.count / 4096)
            let pages = hasPages ? [(number: UInt32(3), bytes: Array(bytes[8192..<12288]))] : []
            try bundle.write(
                HostileJournal.journal(pages: pages, of: count, superJournal: superJournal(bundle)), to: "db.sqlite3-journal")
        }
    }

    /// Write-ahead logs whose frames bring what the main file does not show.
    static let logs: [Threat] = [
        Threat("a log that brings a trigger", occupies: ["journal", "log"], foreign: ["foreign_in_log"]) { bundle in
            try bundle.inLog { database in
                try database.execute("CREATE TRIGGER foreign_in_log AFTER UPDATE ON kvmeta BEGIN DELETE FROM kv_default; END")
            }
        },
        Threat(
            "a log that brings a view in the place of the documents", occupies: ["journal", "log", "kv_default"], foreign: ["kv_default"]
        ) {
            bundle in
            try bundle.inLog { try $0.putEndlessView(inPlaceOf: "kv_default") }
        },
        Threat("a log of random frames", occupies: ["journal", "log"]) { bundle in
            try bundle.inLog { try $0.execute("UPDATE kvmeta SET purgeCnt=purgeCnt+1") }
            let log = bundle.file + "-wal"
            var bytes = Array(try Data(contentsOf: URL(filePath: log)))
            for _ in 0..<40 { bytes[32 + bundle.withRandom { $0.below(bytes.count - 32) }] = UInt8(bundle.withRandom { $0.below(256) }) }
            try bundle.write(bytes, to: "db.sqlite3-wal")
        },
    ]
}

extension HostileBundle {
    package func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(filePath: path + "/" + name)) }

    /// Makes changes that are in the log alone, as after a crash.
    func inLog(_ change: (RawDatabase) throws -> Void) throws {
        let files = FileManager.default
        let kept = path + ".kept"
        try edit { try $0.execute("PRAGMA journal_mode=WAL; PRAGMA wal_checkpoint(TRUNCATE)") }
        try files.copyItem(atPath: path, toPath: kept)
        try edit { database in
            try database.execute("PRAGMA wal_autocheckpoint=0")
            try change(database)
            try files.copyItem(atPath: file + "-wal", toPath: kept + "/db.sqlite3-wal")
        }
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: kept, toPath: path)
    }
}
