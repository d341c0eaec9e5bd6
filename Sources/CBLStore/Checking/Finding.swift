/// One thing that a check found: what is wrong, where, and whether it can be mended.
package struct Finding: Hashable, Sendable {
    package enum Severity: String, Sendable {
        /// Nothing is wrong, but somebody may want to know.
        case note
        /// The database works, but not everything in it is as it should be.
        case warning
        /// Something is lost, or will give wrong results.
        case error
    }

    /// What kind of thing it is about. The raw values are stable: programs read them.
    package enum Kind: String, Sendable {
        /// The SQLite file itself.
        case file
        /// Another file or folder of the bundle, or a link in the place of one.
        case bundle
        /// Rows of a table that cannot be read.
        case unreadable
        /// A document's ID.
        case id
        /// A document's body, or that of another of its revisions.
        case body
        /// A revision tree, a version vector, or the column that names the current revision.
        case revisions
        case flags
        /// A row in the table of the other kind, live or deleted, or in both.
        case placement
        /// The columns of a tombstone that a migration swapped.
        case swapped
        case sequence
        case expiration
        /// A row of `kvmeta`.
        case counter
        /// A row of `kv_info`.
        case info
        case blob
        case index
        case trigger
        /// Something in the schema that no release of Couchbase Lite makes.
        case schema
        /// What an interrupted operation left behind.
        case leftover
    }

    package enum Repair: String, Sendable {
        /// Nothing can be done about it here.
        case none
        case automatic
        /// Only by deleting what is damaged, if told to.
        case dropping
        /// Only by carrying what is readable into a new database.
        case salvage
    }

    package var severity: Severity
    package var kind: Kind
    package var collection: CollectionName?
    package var document: String?
    /// The index, blob, table, key or file that it is about, if it is not a document.
    package var subject: String?
    /// A sentence without its subject.
    package var message: String
    package var repair: Repair

    package init(
        _ severity: Severity, _ kind: Kind, _ message: String, collection: CollectionName? = nil, document: String? = nil,
        subject: String? = nil, repair: Repair = .none
    ) {
        self.severity = severity
        self.kind = kind
        self.message = message
        self.collection = collection
        self.document = document
        self.subject = subject
        self.repair = repair
    }
}
