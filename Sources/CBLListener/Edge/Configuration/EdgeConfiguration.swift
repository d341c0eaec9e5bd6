import CBLBase
import CBLFleece

/// What a file for Couchbase Edge Server says: which databases are served at which address, to whom, and what is replicated with whom.
///
///     let configuration = try EdgeConfiguration(json5: text)
///
/// It is read without looking at any other file. What it asks for that is not to be had here is an error, as is a name that it does not know:
/// a server that does less than its owner thinks is worse than none.
package struct EdgeConfiguration: Sendable {
    package struct HTTPS: Hashable, Sendable {
        package var certificatePath: String
        package var keyPath: String
        /// The authorities of clients, who then have to show a certificate.
        package var clientAuthoritiesPath: String?
    }

    /// Pages of which other servers may ask.
    package struct Pages: Hashable, Sendable {
        package var origins: [String]
        /// What they may send along; nil for whatever they like.
        package var headers: [String]?
        package var seconds: Int64?
    }

    /// Nil is all of the machine's.
    package private(set) var address: String?
    package private(set) var port = EdgeConfiguration.usualPort
    package private(set) var databases: [String: EdgeDatabase] = [:]
    package private(set) var replications: [EdgeReplication] = []
    package private(set) var usersPath: String?
    package private(set) var admitsAnonymous = false
    package private(set) var https: HTTPS?
    package private(set) var logging = EdgeLogging()
    package private(set) var pages: Pages?
    private var controlsAccess = false

    static let usualPort: UInt16 = 59840

    package init(json5 text: String) throws {
        try ConfigurationObject.parse(json5: text).withRoot { try read($0) }
    }

    private static let names = [
        "$schema", "interface", "databases", "replications", "users", "enable_anonymous_users", "https", "logging", "cors",
        "enable_user_access_control",
    ]

    private mutating func read(_ value: Value) throws(ConfigurationError) {
        let root = try ConfigurationObject(value, at: "", knows: EdgeConfiguration.names)
        if let interface = try root.text("interface") {
            guard let place = EdgeConfiguration.place(interface) else {
                throw ConfigurationError("interface", "it has to be an address, a port behind a colon, or both: 0.0.0.0:59840")
            }
            (address, port) = place
        }
        usersPath = try root.text("users")
        admitsAnonymous = try root.flag("enable_anonymous_users") ?? false
        controlsAccess = try root.flag("enable_user_access_control") ?? false
        https = try root.object("https", knows: ["tls_cert_path", "tls_key_path", "client_cert_path"])
            .map { object throws(ConfigurationError) in
                HTTPS(
                    certificatePath: try object.neededText("tls_cert_path"), keyPath: try object.neededText("tls_key_path"),
                    clientAuthoritiesPath: try object.text("client_cert_path"))
            }
        pages = try root.object("cors", knows: ["origin", "headers", "max_age"])
            .map { object throws(ConfigurationError) in
                Pages(
                    origins: try object.strings("origin") ?? [], headers: try object.strings("headers"),
                    seconds: try object.number("max_age", in: 0...31_536_000))
            }
        if let object = try root.object("logging", knows: EdgeLogging.names) { logging = try EdgeLogging(object) }
        guard let list = try root.object("databases", knows: nil) else { throw ConfigurationError("databases", "it is missing") }
        for (name, value) in list.all {
            if let problem = Share.problem(withName: name) ?? (name.contains(".") ? "points are between collections" : nil) {
                throw ConfigurationError(list.path(of: name), "it cannot be the name of a database: \(problem)")
            }
            databases[name] = try EdgeDatabase(value, at: list.path(of: name))
        }
        guard let array = root["replications"] else { return }
        guard let array = array.array else { throw ConfigurationError("replications", "it has to be a list") }
        for (place, value) in array.enumerated() {
            let replication = try EdgeReplication(value, at: "replications[\(place)]")
            guard databases[replication.local] != nil else {
                throw ConfigurationError("replications[\(place)]", "there is no database \"\(replication.local)\" among \"databases\"")
            }
            replications.append(replication)
        }
    }

    /// `0.0.0.0:59840`, `0.0.0.0` or `:59840`; an address of IPv6 with a port stands in brackets.
    private static func place(_ text: String) -> (String?, UInt16)? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let address = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            guard !rest.isEmpty else { return (address, usualPort) }
            guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()) else { return nil }
            return (address, port)
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return (text, usualPort) }
        guard let port = UInt16(parts[1]) else { return nil }
        return (parts[0].isEmpty ? nil : String(parts[0]), port)
    }

    /// Whether what users may do in a database depends on their rules.
    package func controlsAccess(to database: String) -> Bool { databases[database]?.controlsAccess ?? controlsAccess }
}
