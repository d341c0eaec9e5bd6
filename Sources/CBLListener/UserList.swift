import CBLBase
import CBLStore
import CBLTransport
import Glibc

/// What somebody may do who was let in.
package struct UserRights: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        /// Nothing but what concerns data.
        case user
        /// Has this server replicate with others, too.
        case replicator
        /// Everything; rules do not count.
        case administrator
    }

    /// Within what the database's share allows.
    package var access = Share.Access.readWrite
    /// The names of the databases that are there for them; nil for all.
    package var databases: Set<String>?
    /// Nil for what follows from the rest: those who may everything with the data are administrators.
    package var role: Role?
    /// What they may do in databases that ask for rules; nil for everything.
    package var rules: AccessRules?

    package init(_ access: Share.Access = .readWrite, databases: Set<String>? = nil) {
        self.access = access
        self.databases = databases
    }

    package init(role: Role, rules: AccessRules?) {
        self.role = role
        self.rules = rules
    }

    /// How far a share is open to somebody with these rights; nil if it is not.
    func access(to share: Share) -> Share.Access? {
        guard databases?.contains(share.name) ?? true, rules(for: share).map({ $0.mentions(share.name) }) ?? true else { return nil }
        return share.access.limited(to: access)
    }

    /// How far one of its collections is.
    func access(to share: Share, _ collection: CollectionName) -> Share.Access? {
        guard databases?.contains(share.name) ?? true, let access = share.access.limited(to: access) else { return nil }
        guard let rules = rules(for: share) else { return access }
        return rules.access(to: share.name, collection).flatMap(access.limited)
    }

    /// How far replicators may go in a collection.
    func syncAccess(to share: Share, _ collection: CollectionName) -> Share.Access? {
        guard databases?.contains(share.name) ?? true, let access = share.sync?.limited(to: access) else { return nil }
        guard let rules = rules(for: share) else { return access }
        return rules.access(to: share.name, collection).flatMap(access.limited)
    }

    /// The rules that count there; nil if there are none.
    private func rules(for share: Share) -> AccessRules? { share.controlsAccess && role != .administrator ? rules : nil }
}

/// Names with passwords and rights. The passwords themselves are not kept: only what shows that one is right.
package struct UserList: Sendable, CustomStringConvertible {
    /// What shows that a password is right.
    private enum Proof: Sendable {
        case secret(SaltedPassword)
        /// It takes its time.
        case hash(PasswordHash)
        /// Certificates alone.
        case nothing
    }

    private var proofs: [String: Proof] = [:]
    private var rights: [String: UserRights] = [:]
    // An unknown name takes as long as a wrong password.
    private let nobody = SaltedPassword("")

    package init() {}

    package var isEmpty: Bool { proofs.isEmpty }
    package var names: [String] { proofs.keys.sorted() }

    /// Adds somebody, or gives them another password and other rights.
    package mutating func set(_ name: String, password: String, rights: UserRights = UserRights()) {
        proofs[name] = .secret(SaltedPassword(password))
        self.rights[name] = rights
    }

    /// The same for somebody whose password is hashed in a file; nil for one who has none, and comes with a certificate.
    package mutating func set(_ name: String, hash: PasswordHash?, rights: UserRights) {
        proofs[name] = hash.map { .hash($0) } ?? .nothing
        self.rights[name] = rights
    }

    /// Nil if there is nobody of that name.
    package func rights(of name: String) -> UserRights? { rights[name] }
    /// The databases that are named in somebody's rights.
    package var databases: Set<String> { rights.values.reduce(into: []) { $0.formUnion($1.databases ?? []) } }

    package func admits(_ credentials: Credentials) -> Bool {
        switch proofs[credentials.user] {
        case .secret(let secret)?: return secret.matches(credentials.password)
        case .hash(let hash)?: return hash.matches(credentials.password)
        case .nothing?, nil:
            _ = stranger.map { $0.matches(credentials.password) } ?? nobody.matches(credentials.password)
            return false
        }
    }

    /// Whether to look at passwords takes a noticeable time.
    var takesTime: Bool { stranger != nil }
    /// What those are measured by whom nobody knows, so that they take as long.
    private var stranger: PasswordHash? {
        proofs.values.lazy.compactMap { proof in if case .hash(let hash) = proof { hash } else { nil } }.first
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

    package var description: String { "\(proofs.count) users" }
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
