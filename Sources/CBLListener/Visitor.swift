/// Somebody whose requests are answered, and what they may.
package struct Visitor: Sendable {
    package enum Standing: Sendable {
        /// Nobody yet: may say who they are.
        case stranger
        case guest
        /// Everything that is served is theirs to use: may also make and delete databases, where that is allowed at all.
        case administrator
    }

    /// The name that came with the right password.
    package var user: String?
    /// Whom the client's certificate names.
    package var certificate: String?
    package var rights: UserRights
    package var standing: Standing
    /// Has this server connect to others: for those who are known, and for programs of this machine.
    package var mayReplicate: Bool
    /// Whoever it is, if anybody said.
    var name: String? { user ?? certificate }
    /// How a password was given, as CouchDB calls it.
    var authentication: String?

    /// Whoever has all rights in all databases is an administrator, if nobody says otherwise.
    init(user: String? = nil, certificate: String? = nil, rights: UserRights = UserRights(), isLocal: Bool) {
        self.user = user
        self.certificate = certificate
        self.rights = rights
        switch rights.role {
        case nil:
            standing = rights == UserRights() ? .administrator : .guest
            mayReplicate = standing == .administrator && (isLocal || user != nil || certificate != nil)
        case .user?: (standing, mayReplicate) = (.guest, false)
        case .replicator?: (standing, mayReplicate) = (.guest, true)
        case .administrator?: (standing, mayReplicate) = (.administrator, true)
        }
    }

    private init(_ standing: Standing, _ rights: UserRights) {
        self.standing = standing
        self.rights = rights
        mayReplicate = standing == .administrator
    }

    /// The process itself.
    package static let owner = Visitor(.administrator, UserRights())
    static let stranger = Visitor(.stranger, UserRights(databases: []))
}
