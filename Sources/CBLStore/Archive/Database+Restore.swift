extension Database {
    /// Puts an archive into this database: everything, or nothing if `feed` throws or the archive turns out to be damaged.
    /// `interruption` is asked while SQLite works, as in `Connection.setProgressCheck`.
    package func restore(
        _ options: Archive.RestoreOptions, interruption: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)? = nil,
        feed: (ArchiveRestorer) throws -> Void
    ) throws -> ArchiveRestorer.Result {
        try write { transaction in
            transaction.connection.setProgressCheck(interruption)
            defer { transaction.connection.setProgressCheck(nil) }
            let restorer = try ArchiveRestorer(transaction, options)
            try feed(restorer)
            return try restorer.finish()
        }
    }

    /// Makes a database from an archive, encrypted if there is a key. It appears under its name when it is complete.
    package static func restore(
        creating path: String, key: EncryptionKey? = nil, _ options: Archive.RestoreOptions,
        interruption: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)? = nil, feed: (ArchiveRestorer) throws -> Void
    ) throws -> ArchiveRestorer.Result {
        try appearing(at: path) { unfinished in
            var settings = Options.create
            settings.key = key
            settings.isUnfinished = true
            let database = try Database(path: unfinished, options: settings)
            defer { database.close() }
            let result = try database.restore(options, interruption: interruption, feed: feed)
            try database.complete()
            return result
        }
    }
}
