import Foundation

/// A database of a server that speaks CouchDB's protocol: what the module for 1.x makes an endpoint of.
package struct RESTTarget: Sendable {
    package var url: URL
    /// A filter of the server, for what is pulled.
    package var filter: String?
    package var filterParameters: [String: String]
    package var createsDatabase: Bool
    /// Whether a name and a password are sent once, for a cookie.
    package var signsIn: Bool

    package init(url: URL, filter: String?, filterParameters: [String: String], createsDatabase: Bool, signsIn: Bool) {
        self.url = url
        self.filter = filter
        self.filterParameters = filterParameters
        self.createsDatabase = createsDatabase
        self.signsIn = signsIn
    }
}

package protocol RESTTargeting: Endpoint {
    var restTarget: RESTTarget { get }
}
