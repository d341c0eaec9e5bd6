import CBLBase

/// What a server of ours says of itself to those who look for peers, as entries of its TXT record:
///
///     id=5b0d…    a number that each run of a server draws: by it a server knows itself, and two know who of them connects
///     db=travel   a database, with its public UUID; of further ones db2 and uuid2, db3 and uuid3, …
///     uuid=9e17…
///     tls=1       it speaks TLS, and nothing else
///     mesh=1      it connects to others itself
package struct PeerAnnouncement: Hashable, Sendable {
    package struct Database: Hashable, Sendable {
        package var name: String
        /// 32 hexadecimal digits, or nothing.
        package var uuid: String

        package init(name: String, uuid: String) {
            self.name = name
            self.uuid = uuid
        }
    }

    package var id: String
    package var databases: [Database]
    package var isSecure: Bool
    package var isInMesh: Bool

    /// More have no room anyway.
    static let mostDatabases = 100
    private static let longestName = 200

    package init(id: String = PeerAnnouncement.newID(), databases: [Database], isSecure: Bool = false, isInMesh: Bool = false) {
        self.id = id
        self.databases = databases
        self.isSecure = isSecure
        self.isInMesh = isInMesh
    }

    package static func newID() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes.withUnsafeMutableBytes { RandomBytes.ask($0) }
        return bytes.withUnsafeBytes { Hex.text(of: $0) }
    }

    /// Nil if nobody of ours has written it.
    package init?(_ text: ServiceText) {
        guard let id = text["id"], PeerAnnouncement.isID(id) else { return nil }
        self.id = id
        isSecure = text["tls"] == "1"
        isInMesh = text["mesh"] == "1"
        databases = []
        for number in 1...PeerAnnouncement.mostDatabases {
            let suffix = number == 1 ? "" : "\(number)"
            guard let name = text["db" + suffix] else { break }
            let isNew = !databases.contains { $0.name == name }
            guard isNew, PeerAnnouncement.isName(name) else { continue }
            let uuid = text["uuid" + suffix] ?? ""
            databases.append(Database(name: name, uuid: PeerAnnouncement.isID(uuid) ? uuid : ""))
        }
    }

    /// Databases for which there is no room are not told of.
    package var text: ServiceText {
        var text = ServiceText()
        text.add("id", id)
        if isSecure { text.add("tls", "1") }
        if isInMesh { text.add("mesh", "1") }
        for (index, database) in databases.prefix(PeerAnnouncement.mostDatabases).enumerated() {
            let suffix = index == 0 ? "" : "\(index + 1)"
            guard text.add("db" + suffix, database.name) else { break }
            if !database.uuid.isEmpty { text.add("uuid" + suffix, database.uuid) }
        }
        return text
    }

    /// 32 hexadecimal digits in small letters.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { Hex.value(ofDigit: $0) != nil && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
    }

    /// What can be a component of a URL that names a database.
    private static func isName(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= longestName, text != ".", text != "..", !text.hasPrefix("_") else { return false }
        return !text.unicodeScalars.contains { $0 == "/" || $0.value < 0x20 || $0.value == 0x7F }
    }
}
