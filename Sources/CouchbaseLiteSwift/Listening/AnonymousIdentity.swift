import Foundation

/// The identity of listeners that were given none: one for all of them, made when it is first needed.
enum AnonymousIdentity {
    private static let label = "CouchbaseLiteSwift.URLEndpointListener"

    static func find() throws -> TLSIdentity {
        if let kept = try TLSIdentity.identity(withLabel: label) {
            if kept.expiration > Date() { return kept }
            try TLSIdentity.deleteIdentity(withLabel: label)
        }
        do {
            return try TLSIdentity.createIdentity(
                for: [.serverAuth, .clientAuth], attributes: [certAttrCommonName: "Couchbase Lite listener"], label: label)
        } catch {
            // Another listener, or another program, may have been quicker.
            guard let kept = try TLSIdentity.identity(withLabel: label) else { throw error }
            return kept
        }
    }

    static func delete() throws { try TLSIdentity.deleteIdentity(withLabel: label) }
}
