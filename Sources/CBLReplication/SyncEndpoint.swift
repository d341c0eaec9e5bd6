/// Where a server has a database for replicators: `wss://host/db/_blipsync`, which people know as `wss://host/db`.
package enum SyncEndpoint {
    /// The last component of the path.
    package static let name = "_blipsync"
    package static let path = "/" + name

    /// What people call the URL that is connected to. Others are as they were.
    package static func removed(from url: String) -> String { url.hasSuffix(path) ? String(url.dropLast(path.count)) : url }
}
