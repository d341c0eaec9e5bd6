import CBLFleece
import CBLTransport

/// How one is let in by a server.
package enum ServerLogin: Sendable {
    case nobody
    /// A name and a password with every request, or proofs of it if the server asks for these.
    case password(Credentials, waitsForChallenge: Bool)
    /// Something that is sent once, for a cookie.
    case session(SessionLogin)
    /// A signature of each request: CouchDB had that until its version 3.
    case signatures(OAuthKeys)
    /// What a provider of identities says.
    case openID(OpenIDLogin)

    /// By that name, if by any.
    package var user: String? {
        switch self {
        case .nobody, .signatures: nil
        case .password(let credentials, _): credentials.user
        case .session(let session): session.user
        case .openID(let login): login.user
        }
    }

    /// Whether something is to be asked for before anything else.
    package var isBeforehand: Bool {
        switch self {
        case .nobody, .password, .signatures: false
        case .session, .openID: true
        }
    }
}

/// What is sent once to be known by a cookie afterwards.
package struct SessionLogin: Sendable {
    /// Behind the URL of the database.
    package let path: String
    /// The members of the object that is sent, as JSON.
    let body: [UInt8]
    /// Whose it is, if that is known.
    package let user: String?
    /// What is sent, to people.
    let title: String

    /// `POST PATH` with some text: for what gateways have of their own.
    package init(path: String, members: [(String, String)], user: String? = nil, title: String) {
        self.path = path
        self.user = user
        self.title = title
        var text = ByteBuffer()
        text.append("{")
        for (place, (name, value)) in members.enumerated() {
            if place > 0 { text.append(",") }
            JSONWriter.write(string: name, to: &text)
            text.append(":")
            JSONWriter.write(string: value, to: &text)
        }
        text.append("}")
        body = text.withBytes { Array($0) }
    }

    package static let usualPath = "_session"

    /// A name and a password: at the database, as with Sync Gateway, or at the server, as with CouchDB.
    package static func password(_ credentials: Credentials) -> SessionLogin {
        SessionLogin(
            path: usualPath, members: [("name", credentials.user), ("password", credentials.password)], user: credentials.user,
            title: credentials.user)
    }

    /// What Facebook gave an app for its user.
    package static func facebook(_ token: String) -> SessionLogin {
        SessionLogin(path: "_facebook", members: [("access_token", token)], title: "the owner of the Facebook token")
    }

    /// What Google gave an app for its user.
    package static func google(_ token: String) -> SessionLogin {
        SessionLogin(path: "_google", members: [("id_token", token)], title: "the owner of the Google token")
    }

    /// What a server of Persona gave for its user. These are gone; gateways of that time still ask for it.
    package static func persona(_ assertion: PersonaAssertion) -> SessionLogin {
        SessionLogin(path: "_persona", members: [("assertion", assertion.text)], user: assertion.email, title: assertion.email)
    }
}
