import CBLBase
import CBLFleece
import CBLStore

/// What an Edge Server's configuration says of a database.
package struct EdgeDatabase: Sendable {
    /// A query that has a name, so that who may not ask what they like can ask this.
    package struct NamedQuery: Hashable, Sendable {
        package var text: String
        /// Who may read one of these may ask it, as the configuration writes them; nil if any of the database will do.
        package var collections: [String]?
    }

    package let path: String
    package let creates: Bool
    /// Nil is all that there are.
    package let collections: [CollectionName]?
    package let allowsWrites: Bool
    /// How far replicators may; nil if they may not.
    package let sync: Share.Access?
    package let allowsAdHocQueries: Bool
    /// Nil if there are none, which is something else than not having one of a name.
    package let queries: [String: NamedQuery]?
    /// A file with this one gets another when it is first served: it is a copy of many.
    package let placeholderUUID: String?
    /// Nil is what the server's own setting says.
    let controlsAccess: Bool?
    /// What the database is encrypted with, or is to be if it is new.
    package let key: EncryptionKey?

    private static let names = [
        "path", "create", "collections", "enable_client_writes", "enable_client_sync", "enable_adhoc_queries", "queries", "password",
        "placeholder_uuid", "enable_user_access_control",
    ]

    init(_ value: Value, at place: String) throws(ConfigurationError) {
        let object = try ConfigurationObject(value, at: place, knows: EdgeDatabase.names)
        path = try object.neededText("path")
        guard path.hasSuffix(".cblite2") else { throw ConfigurationError(object.path(of: "path"), "it has to end with .cblite2") }
        creates = try object.flag("create") ?? false
        collections = try EdgeDatabase.collections(object)?.map(\.name)
        allowsWrites = try object.flag("enable_client_writes") ?? false
        sync = try EdgeDatabase.sync(object)
        allowsAdHocQueries = try object.flag("enable_adhoc_queries") ?? false
        queries = try EdgeDatabase.queries(object)
        placeholderUUID = try object.text("placeholder_uuid")
        controlsAccess = try object.flag("enable_user_access_control")
        key = try object.text("password").map(EdgeDatabase.key)
    }

    /// Of a password, or of 64 hexadecimal digits.
    private static func key(_ text: String) -> EncryptionKey {
        let bytes = text.utf8.count == 64 ? Hex.bytes(of: text.lowercased()) : nil
        return bytes.flatMap { $0.withUnsafeBytes { EncryptionKey($0) } } ?? EncryptionKey(password: text)
    }

    /// A list of names, or an object with settings by name.
    static func collections(
        _ object: ConfigurationObject, knows names: [String] = []
    ) throws(ConfigurationError) -> [(name: CollectionName, settings: ConfigurationObject?)]? {
        guard let value = object["collections"] else { return nil }
        let place = object.path(of: "collections")
        guard value.array == nil else {
            var list: [(name: CollectionName, settings: ConfigurationObject?)] = []
            for name in try object.strings("collections") ?? [] { list.append((try collection(name, place), nil)) }
            return list
        }
        let members = try ConfigurationObject(value, at: place, knows: nil)
        var list: [(name: CollectionName, settings: ConfigurationObject?)] = []
        for (name, value) in members.all {
            let settings = try ConfigurationObject(value, at: members.path(of: name), knows: names)
            list.append((try collection(name, members.path(of: name)), settings))
        }
        return list
    }

    static func collection(_ text: String, _ place: String) throws(ConfigurationError) -> CollectionName {
        do { return try CollectionName(parsing: text) } catch { throw ConfigurationError(place, error.message) }
    }

    private static func sync(_ object: ConfigurationObject) throws(ConfigurationError) -> Share.Access? {
        guard let value = object["enable_client_sync"] else { return nil }
        if let flag = value.boolean { return flag ? .readWrite : nil }
        switch value.string {
        case "bidirectional": return .readWrite
        case "pull": return .readOnly
        case "push": return .writeOnly
        default:
            throw ConfigurationError(
                object.path(of: "enable_client_sync"), "it has to be true, false, \"pull\", \"push\" or \"bidirectional\"")
        }
    }

    private static func queries(_ object: ConfigurationObject) throws(ConfigurationError) -> [String: NamedQuery]? {
        guard let list = try object.object("queries", knows: nil) else { return nil }
        var queries: [String: NamedQuery] = [:]
        for (name, value) in list.all {
            if let text = value.string {
                queries[name] = NamedQuery(text: text)
                continue
            }
            let query = try ConfigurationObject(value, at: list.path(of: name), knows: ["statement", "allow"])
            let allowed = try query.object("allow", knows: ["collections"])
            queries[name] = NamedQuery(
                text: try query.neededText("statement"),
                collections: try allowed.map { entry throws(ConfigurationError) in try entry.strings("collections") ?? [] })
        }
        return queries
    }
}
