import CBLBase
import CBLStore
import CBLTransport
import CBLViews

/// A database that others may replicate with, and how far.
package struct Share: Sendable {
    package enum Access: String, Sendable {
        case readWrite = "read-write"
        /// Others may pull.
        case readOnly = "read-only"
        /// Others may push.
        case writeOnly = "write-only"

        var allowsPull: Bool { self != .writeOnly }
        var allowsPush: Bool { self != .readOnly }

        /// What two rules leave together; nil if that is nothing.
        func limited(to other: Access) -> Access? {
            if self == .readWrite { return other }
            return other == .readWrite || other == self ? self : nil
        }
    }

    /// How it is called in URLs: `ws://host:port/NAME`.
    package var name: String
    package var database: Database
    /// The others do not exist for those who connect. Nil is all that there are, those that are made later too.
    package var collections: [CollectionName]?
    package var access = Access.readWrite
    /// How far replicators may; nil if they may not.
    package var sync: Access?
    /// Whether what users may do here depends on their rules.
    package var controlsAccess = false
    /// Whether changes of documents may be sent instead of all of them.
    package var allowsDeltas = true
    /// The views that the program has defined itself: one in a collection by its name, which is `DESIGN/VIEW` in paths. They come before those of
    /// design documents.
    package var ownView: (@Sendable (CollectionName, String) -> ViewDefinition?)?

    package init(_ name: String, _ database: Database, collections: [CollectionName]? = nil, access: Access = .readWrite) {
        self.name = name
        self.database = database
        self.collections = collections
        self.access = access
        sync = access
    }

    func contains(_ collection: CollectionName) -> Bool { collections?.contains(collection) ?? true }

    /// What keeps a text from being a name; nil if nothing does.
    package static func problem(withName name: String) -> String? {
        if name.isEmpty { return "it is empty" }
        if name.utf8.count > 200 { return "it is too long" }
        if name == "." || name == ".." || name.hasPrefix("_") { return "it has another meaning in URLs" }
        let isOdd = name.unicodeScalars.contains { $0 == "/" || $0.value < 0x20 || $0.value == 0x7F }
        return isOdd ? "it has a slash or a control character" : nil
    }

    /// The path of its URL.
    package var path: String { "/" + PercentEncoding.component(name) }
}
