import CBLBase
import CBLFleece
import CBLSQLite

/// Makes a database of the newest generation of a 1.x one.
///
/// What the vendor's upgrade makes is made byte for byte as there: documents under their IDs, with their revisions' own IDs, sequences in the order
/// of the documents' rows, `_attachments` left in the bodies and their files among the blobs. What it leaves out comes along: branches that lost a
/// conflict, bodies of older revisions, expirations; local and design documents and checkpoints, as raw documents that other programs leave alone.
struct Version1Conversion {
    /// Where checkpoints and the identity that they belong to go: what a replication needs to go on where it was.
    static let rawStore = "_version1"

    /// Documents, of how many.
    typealias Progress = (_ done: Int, _ total: Int) throws -> Void

    private let source: Database
    /// Where the attachments are.
    private let files: FileAccess
    private let target: FileAccess
    private let keepsIdentity: Bool
    private let progress: Progress

    /// `target` is a bundle that nobody sees yet. The attachments are the source's own, or in another place.
    init(
        of source: Database, attachments: FileAccess? = nil, to target: FileAccess, keepsIdentity: Bool, progress: @escaping Progress
    ) {
        self.source = source
        files = attachments ?? source.files
        self.target = target
        self.keepsIdentity = keepsIdentity
        self.progress = progress
    }

    /// Gives what could not be carried over.
    func run() throws -> [StoreError] {
        var options = Database.Options.create
        options.key = target.key
        let database = try Database(path: target.bundle.path, options: options)
        defer { database.close() }
        var omitted: [StoreError] = []
        var digests: Set<BlobDigest> = []
        try source.read { snapshot in
            // On its own: where pages that a large transaction has put into the log change again, SQLite writes all of the log anew.
            try database.write { transaction in
                try copyRawDocuments(snapshot, transaction)
                try copyIdentity(snapshot, transaction)
            }
            try database.write { transaction in
                let documents = try Version1Documents(snapshot, transaction, progress)
                try documents.convert()
                (omitted, digests) = (documents.omitted, documents.digests)
            }
        }
        return try omitted + copyBlobs(digests, to: database)
    }

    private func copyRawDocuments(_ snapshot: Snapshot, _ transaction: Transaction) throws {
        for key in try snapshot.rawDocumentKeys(in: LocalDocuments.keyStore) {
            guard let document = try snapshot.rawDocument(key, in: LocalDocuments.keyStore) else { continue }
            try transaction.putRaw(document, in: LocalDocuments.keyStore)
        }
        for name in try snapshot.designDocumentNames() {
            guard let document = try snapshot.document(DesignDocuments.prefix + name), !document.isDeleted else { continue }
            let json = Array(document.body.withRoot { $0.json() }.utf8)
            let design = RawDocument(key: name, meta: Array(document.revision.description.utf8), body: json)
            try transaction.putRaw(design, in: DesignDocuments.keyStore)
        }
        for key in try snapshot.rawDocumentKeys(in: "checkpoints") {
            guard let checkpoint = try snapshot.rawDocument(key, in: "checkpoints") else { continue }
            try transaction.putRaw(RawDocument(key: "checkpoint/" + key, meta: nil, body: checkpoint.body), in: Version1Conversion.rawStore)
        }
    }

    private func copyIdentity(_ snapshot: Snapshot, _ transaction: Transaction) throws {
        if let text = try snapshot.connection.strings("SELECT value FROM main.info WHERE key='privateUUID'").first {
            let identity = RawDocument(key: "privateUUID", meta: nil, body: Array(text.utf8))
            try transaction.putRaw(identity, in: Version1Conversion.rawStore)
        }
        guard let publicUUID = snapshot.publicUUID, let privateUUID = snapshot.privateUUID else { return }
        if keepsIdentity {
            try transaction.setIdentity(publicUUID: publicUUID, privateUUID: privateUUID)
        } else {
            try transaction.file.infoTable.set(StoredInfo.Key.previousPrivateUUID, privateUUID)
        }
    }

    /// Files that are missing were not downloaded.
    private func copyBlobs(_ digests: Set<BlobDigest>, to database: Database) throws -> [StoreError] {
        var omitted: [StoreError] = []
        let blobs = BlobFolder(files)
        for (index, digest) in digests.sorted().enumerated() {
            try progress(index, digests.count)
            do {
                let reader = try UncheckedBlob(blobs, digest).check { try progress(index, digests.count) }
                let folder = try target.bundle.folder().makeFolder(DatabaseBundle.attachmentsName)
                try files.copyContent(of: reader.file, to: database.files, folder, as: digest.fileName) {
                    try progress(index, digests.count)
                }
            } catch let error as StoreError where error.code == .corrupt {
                omitted.append(error)
            } catch let error as StoreError where error.code == .notFound {
                continue
            }
        }
        return omitted
    }
}
