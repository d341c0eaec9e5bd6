import CBLBase
import CBLTransport
import Glibc

/// What somebody may do who was let in.
package struct UserRights: Hashable, Sendable {
    /// Within what the database's share allows.
    package var access = Share.Access.readWrite
    /// The names of the databases that are there for them; nil for all.
    package var databases: Set<String>?

    package init(_ access: Share.Access = .readWrite, databases: Set<String>? = nil) {
        self.access = access
        self.databases = databases
    }

    /// How far a share is open to somebody with these rights; nil if it is not.
    func access(to share: Share) -> Share.Access? {
        guard databases?.contains(share.name) ?? true else { return nil }
        return share.access.limited(to: access)
    }
}

/// Names with passwords and rights. The passwords themselves are not kept: only what shows that one is right.
package struct UserList: Sendable, CustomStringConvertible {
    private struct Secret: Sendable {
        let salt: [UInt8]
        let digest: [UInt8]

        init(_ password: String) {
            salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
            digest = Secret.digest(password, salt)
        }

        /// Takes the same time wherever they differ.
        func matches(_ password: String) -> Bool {
            // With the parentheses: `|` and `^` are of the same rank, and are read from the left.
            zip(Secret.digest(password, salt), digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }

        private static func digest(_ password: String, _ salt: [UInt8]) -> [UInt8] {
            (salt + Array(password.utf8)).withUnsafeBytes { SHA256.digest(of: $0) }
        }
    }

    private var secrets: [String: Secret] = [:]
    private var rights: [String: UserRights] = [:]
    // An unknown name takes as long as a wrong password.
    private let nobody = Secret("")

    package init() {}

    package var isEmpty: Bool { secrets.isEmpty }
    package var names: [String] { secrets.keys.sorted() }

    /// Adds somebody, or gives them another password and other rights.
    package mutating func set(_ name: String, password: String, rights: UserRights = UserRights()) {
        secrets[name] = Secret(password)
        self.rights[name] = rights
    }

    /// Nil if there is nobody of that name.
    package func rights(of name: String) -> UserRights? { rights[name] }
    /// The databases that are named in somebody's rights.
    package var databases: Set<String> { rights.values.reduce(into: []) { $0.formUnion($1.databases ?? []) } }

    package func admits(_ credentials: Credentials) -> Bool {
        let secret = secrets[credentials.user]
        let isRight = (secret ?? nobody).matches(credentials.password)
        return isRight && secret != nil
    }

    /// Reads lines of `NAME:PASSWORD`; empty ones, and those that begin with `#`, are passed over. A line `[read-only]`, `[push-only]` or
    /// `[read-write]` says what those below it may do, and with names behind the word, `[read-only travel, hotels]`, with which databases.
    /// Gives the number of the first line that is something else.
    package mutating func read(lines text: String) -> Int? {
        var rights = UserRights()
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                guard let header = UserRights(header: line.dropFirst().dropLast()) else { return number + 1 }
                rights = header
                continue
            }
            let parts = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return number + 1 }
            set(String(Substring(parts[0])), password: String(Substring(parts[1])), rights: rights)
        }
        return nil
    }

    package var description: String { "\(secrets.count) users" }
}

extension UserRights {
    /// `read-only`, `read-write travel, hotels`
    fileprivate init?(header: Substring) {
        let words = header.split(separator: " ", maxSplits: 1)
        guard let first = words.first, let access = Share.Access(word: first) else { return nil }
        self.init(access)
        guard words.count > 1 else { return }
        let names = words[1].split(separator: ",", omittingEmptySubsequences: false).map { name in
            String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard names.allSatisfy({ Share.problem(withName: $0) == nil }) else { return nil }
        databases = Set(names)
    }
}

extension Share.Access {
    /// The word for it in files of users, as the flags of `serve` call it.
    fileprivate init?(word: Substring) {
        switch word {
        case "read-write": self = .readWrite
        case "read-only": self = .readOnly
        case "push-only": self = .writeOnly
        default: return nil
        }
    }
}
