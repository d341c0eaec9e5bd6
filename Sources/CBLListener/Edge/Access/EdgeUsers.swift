import CBLFleece
import CBLReplication

/// The users that a file for Couchbase Edge Server names, with hashes of their passwords, roles and rules.
package struct EdgeUsers: Sendable {
    package private(set) var list = UserList()
    /// What the server's owner may not have meant.
    package private(set) var warnings: [String] = []

    /// Throws if rules are about what is not asked for them: then somebody believes to have closed what is open.
    package init(json5 text: String, for configuration: EdgeConfiguration) throws {
        try ConfigurationObject.parse(json5: text).withRoot { root in
            for (name, value) in try ConfigurationObject(root, at: "", knows: nil).all where name != "$schema" {
                try add(name, try ConfigurationObject(value, at: name, knows: ["password", "roles", "access"]), configuration)
            }
        }
    }

    private mutating func add(_ name: String, _ user: ConfigurationObject, _ configuration: EdgeConfiguration) throws(ConfigurationError) {
        var role = UserRights.Role.user
        for word in try user.strings("roles") ?? [] {
            switch word {
            case "admin": role = .administrator
            case "replicate": if role == .user { role = .replicator }
            default: throw ConfigurationError(user.path(of: "roles"), "there is no role \"\(word)\": \"admin\" and \"replicate\"")
            }
        }
        var rules: AccessRules?
        if let access = try user.object("access", knows: nil) { rules = try self.rules(access, configuration) }
        var hash: PasswordHash?
        if let text = try user.text("password") {
            guard let known = PasswordHash(text) else {
                throw ConfigurationError(user.path(of: "password"), "it has to be a hash of bcrypt, which begins with $2b$")
            }
            hash = known
        } else if configuration.https?.clientAuthoritiesPath == nil {
            throw ConfigurationError(user.path(of: "password"), "it is missing")
        }
        list.set(name, hash: hash, rights: UserRights(role: role, rules: rules))
    }

    private mutating func rules(_ access: ConfigurationObject, _ configuration: EdgeConfiguration) throws(ConfigurationError) -> AccessRules
    {
        var rules = AccessRules()
        for (pattern, _) in access.all {
            let place = access.path(of: pattern)
            let words = try access.strings(pattern) ?? []
            for word in words where word != "read" && word != "write" {
                throw ConfigurationError(place, "there is no right \"\(word)\": \"read\" and \"write\"")
            }
            guard rules.add(pattern, reads: words.contains("read"), writes: words.contains("write")) else {
                throw ConfigurationError(place, "it has to be the name of a database, perhaps with a scope and a collection, or *")
            }
        }
        for name in rules.databases.sorted() {
            guard let database = configuration.databases[name] else {
                throw ConfigurationError(access.place, "there is no database \"\(name)\"")
            }
            if configuration.controlsAccess(to: name) { continue }
            guard database.controlsAccess == false else {
                throw ConfigurationError(
                    access.place, "rules do not count in \"\(name)\": enable_user_access_control says whether they do")
            }
            warnings.append("\(access.place): rules do not count in \"\(name)\"")
        }
        guard configuration.databases.keys.contains(where: { configuration.controlsAccess(to: $0) }) else {
            throw ConfigurationError(access.place, "rules count nowhere: enable_user_access_control says where they do")
        }
        return rules
    }

    /// A users' file with another user in it, or with another password of one; `text` is nil if there is no file yet.
    package static func adding(_ name: String, _ hash: PasswordHash, role: String?, to text: String?) throws -> String {
        let former = try text.map(ConfigurationObject.parse)
        let object = FleeceEncoder()
        object.beginDictionary()
        try former?.withRoot { root in
            for (other, value) in try ConfigurationObject(root, at: "", knows: nil).all where other != name {
                object.writeKey(other)
                object.write(value, keys: nil)
            }
        }
        object.writeKey(name)
        object.beginDictionary()
        object.writeKey("password")
        object.write(hash.text)
        if let role {
            object.writeKey("roles")
            object.beginArray()
            object.write(role)
            object.endArray()
        }
        object.endDictionary()
        object.endDictionary()
        var json = ByteBuffer()
        try object.finish().withRoot { _ = JSONWriter.write($0, keys: nil, style: .pretty, to: &json) }
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }
}
