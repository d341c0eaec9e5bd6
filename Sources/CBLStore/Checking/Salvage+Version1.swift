import CBLSQLite

extension Salvage {
    /// Makes a sound file of the rows that can be read, and converts that.
    func carryVersion1(_ entries: [SchemaEntry], _ old: Connection, to unfinished: DatabaseBundle) throws {
        let folder = try TemporaryCopy(besides: source)
        do {
            let new = try source.rewritten(to: folder.files.bundle, key: source.key).connect()
            new.heedInterrupts()
            try Version1Salvage(entries, old, new, advance: advance) { try self.lost($0) }.run()
        }
        var options = Database.Options.readOnly
        options.key = source.key
        let rows = try Database(path: folder.files.bundle.path, options: options)
        defer { rows.close() }
        let conversion = Version1Conversion(
            of: rows, attachments: source.opened(.readOnly), to: source.rewritten(to: unfinished, key: source.key), keepsIdentity: true
        ) { _, _ in try self.advance(0) }
        for omission in try conversion.run() { try lost(.unreadable, omission.message) }
        let made = try Database(path: unfinished.path, options: options)
        defer { made.close() }
        let counts = try made.read { try $0.counts(of: .default) }
        summary.documents += counts.live
        summary.deleted += counts.deleted
        summary.blobs += try unfinished.attachments()?.names().count ?? 0
    }

    private func lost(_ loss: Version1Salvage.Loss) throws {
        switch loss {
        case .revision(let revision, of: let id?): try lost(.unreadable, "its revision \(revision) cannot be read", document: id)
        case .revision(let revision, of: nil): try lost(.unreadable, "revision \(revision) of some document cannot be read")
        case .newest(of: let id):
            try lost(.unreadable, "of its newest revision nothing is left: an older one is in its place", document: id)
        case .rows(of: let table): try lost(.unreadable, "some rows cannot be read", subject: table)
        case .table(let table, let reason): try lost(.file, "the table \(table) cannot be read: \(reason)", subject: table)
        }
    }
}
