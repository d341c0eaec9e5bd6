internal import CBLFleece
internal import CBLStore
internal import CBLTransport
import Foundation
import Synchronization

/// What servers have set for the replicators of a database. Those that outlast a program are kept in the file.
final class DatabaseCookies: Sendable {
    private let jar = Mutex<CookieJar?>(nil)
    /// Where they are written, one change after the other.
    private let queue = DispatchQueue(label: "CouchbaseLiteSwift.cookies")

    func jar(for database: CBLStore.Database) throws -> CookieJar {
        try jar.withLock { jar in
            if let jar { return jar }
            let stored = try database.read { try $0.storedCookies() }
            let made = CookieJar(
                stored.map(DatabaseCookies.decode) ?? [],
                onChange: { [queue, weak database] cookies in
                    queue.async { [weak database] in
                        do {
                            let encoding = try DatabaseCookies.encode(cookies)
                            try database?.write { try $0.setStoredCookies(encoding) }
                        } catch {
                            log(
                                .replicator, .warning,
                                "The cookies of a server could not be stored: \(translated(error).localizedDescription)")
                        }
                    }
                })
            jar = made
            return made
        }
    }

    /// Calls when all that has come is written.
    func whenWritten(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    // MARK: As they are stored: an array of dictionaries

    private enum Name {
        static let name = "name"
        static let value = "value"
        static let domain = "domain"
        static let path = "path"
        static let expires = "expires"
        static let secure = "secure"
    }

    static func encode(_ cookies: [Cookie]) throws -> [UInt8] {
        let encoder = FleeceEncoder()
        encoder.beginArray()
        for cookie in cookies {
            encoder.beginDictionary()
            for (name, text) in [
                (Name.name, cookie.name), (Name.value, cookie.value),
                // Those with a dot are for the hosts below it, too.
                (Name.domain, (cookie.isHostOnly ? "" : ".") + cookie.domain), (Name.path, cookie.path),
            ] {
                encoder.writeKey(name)
                encoder.write(text)
            }
            if let expires = cookie.expires {
                encoder.writeKey(Name.expires)
                encoder.write(expires)
            }
            if cookie.isSecure {
                encoder.writeKey(Name.secure)
                encoder.write(true)
            }
            encoder.endDictionary()
        }
        encoder.endArray()
        return try encoder.withFinished { Array($0) }
    }

    /// What makes no sense is left out: others write there, too.
    static func decode(_ encoding: [UInt8]) -> [Cookie] {
        let data = FleeceData(encoding)
        guard (try? Validator.validate(data)) != nil else { return [] }
        return data.withRoot { root in
            root.array?.compactMap { element -> Cookie? in
                guard let cookie = element.dictionary else { return nil }
                func text(_ name: String) -> String? { cookie.value(forKey: name, nil)?.string }
                guard let name = text(Name.name), let value = text(Name.value), let domain = text(Name.domain), !domain.isEmpty else {
                    return nil
                }
                let isHostOnly = !domain.hasPrefix(".")
                return Cookie(
                    name: name, value: value, domain: isHostOnly ? domain : String(domain.dropFirst()), isHostOnly: isHostOnly,
                    path: text(Name.path) ?? "/", expires: cookie.value(forKey: Name.expires, nil)?.integer.map { Int64($0) },
                    isSecure: cookie.value(forKey: Name.secure, nil)?.boolean ?? false)
            }
        } ?? []
    }
}
