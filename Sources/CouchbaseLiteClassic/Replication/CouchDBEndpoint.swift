import CouchbaseLiteSwift
import Foundation

/// A database of a server that speaks the protocol of CouchDB, as 1.x did: CouchDB itself, an app with a listener of 1.x, the REST API of Sync Gateway,
/// `cblite serve --rest`.
///
///     var config = ReplicatorConfiguration(target: CouchDBEndpoint(url: URL(string: "https://example.com/travel")!))
///     config.addCollection(try database.defaultCollection())
///     let replicator = Replicator(config: config)
///
/// In a database with revision trees (`Database(name:config:keepingFormat:)`) both branches of a conflict stay, and are replicated, unless the
/// collection's configuration has a resolver. A database with version vectors settles conflicts, and can pull only.
public struct CouchDBEndpoint: Endpoint, RESTTargeting {
    /// `https://host/database`, or `http://` without TLS.
    public let url: URL
    /// A filter of the server for what is pulled: `design/name`.
    public var filter: String?
    /// What the filter is told.
    public var filterParameters: [String: String] = [:]
    /// Whether a push makes the database on the server if it is not there.
    public var createsDatabase = false
    /// Whether the name and the password of a `BasicAuthenticator` are sent once, for a cookie.
    public var signsIn = false

    /// The URL must begin with `http://` or `https://`, and have neither user nor password: those belong in an authenticator.
    public init(url: URL) {
        programmerErrorUnless(
            ["http", "https"].contains(url.scheme?.lowercased()), .invalidArgument,
            "The URL of a CouchDB endpoint begins with http:// or https://, and this one with \"\(url.scheme ?? "")\".")
        programmerErrorUnless(
            url.user == nil && url.password == nil, .invalidArgument,
            "The URL of an endpoint has no user and no password: give a BasicAuthenticator.")
        self.url = url
    }

    package var restTarget: RESTTarget {
        RESTTarget(url: url, filter: filter, filterParameters: filterParameters, createsDatabase: createsDatabase, signsIn: signsIn)
    }
}
