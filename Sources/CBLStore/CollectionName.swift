/// The name of a collection within its scope. `description` is what people write: `scope.name`, or `name` in the default scope.
///
///     try CollectionName(parsing: "inventory.hotel")
package struct CollectionName: Hashable, Sendable {
    package let scope: String
    package let name: String
    /// Made once: it is asked for with every document.
    private let digest: Int

    package static let defaultName = "_default"
    /// The collection that every database has.
    package static let `default` = CollectionName(uncheckedScope: defaultName, name: defaultName)
    static let longest = 251

    package init(scope: String = defaultName, name: String) throws(StoreError) {
        try CollectionName.check(scope, "scope")
        try CollectionName.check(name, "collection")
        guard name != CollectionName.defaultName || scope == CollectionName.defaultName else {
            throw StoreError(.invalidName, "only the default scope has a collection \"_default\"")
        }
        self.init(uncheckedScope: scope, name: name)
    }

    /// Reads `name`, `scope.name` or `scope/name`.
    package init(parsing text: String) throws(StoreError) {
        let bytes = text.utf8
        guard let separator = bytes.firstIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }) else {
            try self.init(name: text)
            return
        }
        try self.init(scope: String(text[..<separator]), name: String(text[bytes.index(after: separator)...]))
    }

    private init(uncheckedScope scope: String, name: String) {
        self.scope = scope
        self.name = name
        var hasher = Hasher()
        hasher.combine(scope)
        hasher.combine(name)
        digest = hasher.finalize()
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    package static func == (one: CollectionName, two: CollectionName) -> Bool {
        one.digest == two.digest && one.name == two.name && one.scope == two.scope
    }

    private static func check(_ name: String, _ kind: String) throws(StoreError) {
        guard name != defaultName else { return }
        let bytes = name.utf8
        guard !bytes.isEmpty else { throw StoreError(.invalidName, "a \(kind) name cannot be empty") }
        guard bytes.count <= longest else { throw StoreError(.invalidName, "a \(kind) name has at most \(longest) characters") }
        if let first = bytes.first, first == UInt8(ascii: "_") || first == UInt8(ascii: "%") {
            throw StoreError(.invalidName, "\"\(name)\" cannot name a \(kind): the first character cannot be _ or %")
        }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "%"):
                continue
            default:
                throw StoreError(.invalidName, "\"\(name)\" cannot name a \(kind): only letters, digits, _, - and % can")
            }
        }
    }
}

extension CollectionName: CustomStringConvertible, Comparable {
    package var description: String { scope == CollectionName.defaultName ? name : "\(scope).\(name)" }
    package var isDefault: Bool { self == .default }

    /// The default scope first, and in each scope the default collection first.
    package static func < (left: CollectionName, right: CollectionName) -> Bool {
        let isDefault = (left.scope == defaultName, right.scope == defaultName)
        if isDefault.0 != isDefault.1 { return isDefault.0 }
        if left.scope != right.scope { return left.scope < right.scope }
        if left.isDefault != right.isDefault { return left.isDefault }
        return left.name < right.name
    }
}

extension CollectionName {
    /// The name that `kvmeta` and `indexes` know the collection by.
    package var keyStore: String {
        if isDefault { return "default" }
        return scope == CollectionName.defaultName ? ".\(name)" : ".\(scope).\(name)"
    }

    /// The name of the store that has its deleted documents, in files that keep them apart.
    var keyStoreOfDeleted: String { CollectionName.prefixOfDeleted + keyStore }

    static let prefixOfDeleted = "del_"

    /// What a key store has the deleted documents of; nil for one that is not for deleted documents.
    static func keyStoreWithout(deletedIn keyStore: String) -> String? {
        keyStore.hasPrefix(prefixOfDeleted) ? String(keyStore.dropFirst(prefixOfDeleted.count)) : nil
    }

    /// The collection that a key store has the documents of, whether or not it is the store of the deleted ones.
    init?(anyKeyStore keyStore: String) { self.init(keyStore: CollectionName.keyStoreWithout(deletedIn: keyStore) ?? keyStore) }

    /// The collection of a key store's name; nil if the key store is not a collection.
    package init?(keyStore: String) {
        if keyStore == "default" {
            self = .default
            return
        }
        guard keyStore.utf8.first == UInt8(ascii: ".") else { return nil }
        let parts = keyStore.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let parsed =
            switch parts.count {
            case 1: try? CollectionName(name: parts[0])
            case 2: try? CollectionName(scope: parts[0], name: parts[1])
            default: CollectionName?.none
            }
        guard let parsed, !parsed.isDefault else { return nil }
        self = parsed
    }
}
