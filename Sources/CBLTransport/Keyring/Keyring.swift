/// The keyring of a person's session, which keeps passwords encrypted: GNOME's, KDE's, KeePassXC's and others, by way of the Secret Service of
/// freedesktop.org. It is talked to by one thread.
///
///     let keyring = try Keyring(asksPerson: true)
///     try keyring.keep(password, as: KeptPassword(url, user: "ada"))
///     let found = try keyring.credentials(for: url)
package final class Keyring {
    private static let service = "org.freedesktop.secrets"
    private static let interface = "org.freedesktop.Secret."
    private static let root = "/org/freedesktop/secrets"
    /// The keyring into which new secrets go.
    private static let usual = root + "/aliases/default"
    /// In place of a question to the person, where there is none.
    private static let nothing = "/"

    /// How long a program may take to answer, and a person, in seconds. What takes longer is not waited for.
    package static let patience = 10.0
    package static let patienceWithPeople = 120.0

    private let bus: MessageBus
    private let session: String
    private let asksPerson: Bool

    /// Throws if there is no keyring, or it does not answer. If it may not ask the person to open a lock, what is locked stays so.
    package init(asksPerson: Bool, patience: Double = Keyring.patience) throws(KeyringError) {
        self.asksPerson = asksPerson
        bus = try MessageBus(within: patience)
        // A secret goes over a socket that nobody else can read; what is on it needs no encryption of its own.
        let answer = try bus.call(
            "OpenSession", of: Keyring.interface + "Service", at: Keyring.root, from: Keyring.service,
            [.text("plain"), .variant(.text(""))])
        session = try Keyring.path(answer, 1)
    }

    private static let strange = KeyringError(.other, "the keyring gives an answer that makes no sense")

    private static func path(_ answer: [BusValue], _ place: Int) throws(KeyringError) -> String {
        guard answer.count > place, let path = answer[place].path else { throw strange }
        return path
    }

    private static func paths(_ answer: [BusValue], _ place: Int) throws(KeyringError) -> [String] {
        guard answer.count > place, let paths = answer[place].paths else { throw strange }
        return paths
    }

    private func call(_ method: String, of interface: String, at path: String, _ arguments: [BusValue] = []) throws(KeyringError)
        -> [BusValue]
    {
        try bus.call(method, of: Keyring.interface + interface, at: path, from: Keyring.service, arguments)
    }

    private func search(_ attributes: [String: String]) throws(KeyringError) -> (open: [String], locked: [String]) {
        let answer = try call("SearchItems", of: "Service", at: Keyring.root, [.texts(attributes)])
        return (try Keyring.paths(answer, 0), try Keyring.paths(answer, 1))
    }

    // What is kept

    /// The name and password that are kept for a server, or the password of one user there. Throws `locked` if they are behind a lock.
    package func credentials(for url: PeerURL, user: String? = nil) throws(KeyringError) -> Credentials? {
        let attributes = KeptPassword.attributes(of: url, user: user)
        var found = try search(attributes)
        if found.open.isEmpty, !found.locked.isEmpty {
            try unlock(found.locked)
            found = try search(attributes)
        }
        // Of several users it is always the same one that is meant.
        var items: [(item: String, kept: KeptPassword)] = []
        for item in found.open { if let kept = try kept(item) { items.append((item, kept)) } }
        for (item, kept) in items.sorted(by: { $0.kept.user < $1.kept.user }) {
            let answer = try call("GetSecret", of: "Item", at: item, [.path(session)])
            guard let secret = answer.first?.members, secret.count == 4, let bytes = secret[2].bytes else { throw Keyring.strange }
            // Who has stored it with another program may have ended it like a line.
            let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
            guard let password = String(validating: bytes[..<end], as: UTF8.self) else { continue }
            return Credentials(user: kept.user, password: password)
        }
        return nil
    }

    /// All that is kept, as far as it is not behind a lock, and how many are.
    package func all() throws(KeyringError) -> (kept: [KeptPassword], locked: Int) {
        let found = try search(KeptPassword.own)
        var kept: [KeptPassword] = []
        for item in found.open { if let password = try self.kept(item) { kept.append(password) } }
        return (kept, found.locked.count)
    }

    private func kept(_ item: String) throws(KeyringError) -> KeptPassword? {
        let answer = try bus.call(
            "Get", of: "org.freedesktop.DBus.Properties", at: item, from: Keyring.service,
            [.text(Keyring.interface + "Item"), .text("Attributes")])
        return answer.first?.inner?.texts.flatMap { KeptPassword($0) }
    }

    // What changes

    /// Keeps a password, in place of what was kept for that user there.
    package func keep(_ password: String, as kept: KeptPassword) throws(KeyringError) {
        try unlock([Keyring.usual])
        let former = try search(kept.attributes).open
        let item = Keyring.interface + "Item."
        let properties: [String: BusValue] = [
            item + "Label": .variant(.text("cblite: \(kept.user) at \(kept.server)")),
            // Keyrings show to people only what has a kind.
            item + "Attributes": .variant(.texts(kept.attributes.merging(["xdg:schema": "org.freedesktop.Secret.Generic"]) { $1 })),
        ]
        let secret = BusValue.structure([.path(session), .bytes([]), .bytes(Array(password.utf8)), .text("text/plain; charset=utf8")])
        let answer = try call("CreateItem", of: "Collection", at: Keyring.usual, [.properties(properties), secret, .boolean(true)])
        try self.answer(Keyring.path(answer, 1))
        // The keyring replaces what has the very same attributes; what another program has stored may have more.
        let new = try Keyring.path(answer, 0)
        guard new != Keyring.nothing else { return }
        for item in former where item != new { try self.answer(Keyring.path(call("Delete", of: "Item", at: item), 0)) }
    }

    /// Forgets what is kept for a server, or for one of its users. Gives how many passwords that were.
    package func forget(_ url: PeerURL, user: String? = nil) throws(KeyringError) -> Int {
        let attributes = KeptPassword.attributes(of: url, user: user)
        var found = try search(attributes)
        if !found.locked.isEmpty {
            try unlock(found.locked)
            found = try search(attributes)
        }
        for item in found.open { try self.answer(Keyring.path(call("Delete", of: "Item", at: item), 0)) }
        return found.open.count
    }

    // Locks

    /// Has the person asked for what opens the lock, if there is one.
    private func unlock(_ objects: [String]) throws(KeyringError) {
        let answer = try call("Unlock", of: "Service", at: Keyring.root, [.paths(objects)])
        try self.answer(Keyring.path(answer, 1))
    }

    /// Waits until the person has answered the keyring's own question. Where there is no desktop to ask it on, the keyring does not.
    private func answer(_ question: String) throws(KeyringError) {
        guard question != Keyring.nothing else { return }
        guard asksPerson else { throw .locked }
        bus.wait(seconds: Keyring.patienceWithPeople)
        let interface = Keyring.interface + "Prompt"
        try bus.watch(question, of: interface)
        do throws(KeyringError) {
            _ = try call("Prompt", of: "Prompt", at: question, [.text("")])
            let completed = try bus.signal("Completed", of: interface, from: question)
            guard completed.first?.boolean == false else { throw .locked }
        } catch {
            // It must not stand on the screen when nobody waits for it any more.
            _ = try? call("Dismiss", of: "Prompt", at: question)
            throw error.reason == .late ? .locked : error
        }
    }
}
