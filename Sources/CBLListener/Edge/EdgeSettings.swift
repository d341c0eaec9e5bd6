import CBLReplication
import CBLStore

/// What a listener needs to know to answer as Couchbase Edge Server does.
package struct EdgeSettings: Sendable {
    /// By their names in URLs.
    package var databases: [String: EdgeDatabase]
    /// Whether rules are asked for where nothing is known of a database.
    package var controlsAccess: Bool
    /// Carries out what replications need of files, and of where they are.
    package var loader: EdgeReplicationLoader
    let sessions = SyncSessions()

    package init(_ configuration: EdgeConfiguration, loader: EdgeReplicationLoader) {
        databases = configuration.databases
        controlsAccess = configuration.controlsAccess(to: "")
        self.loader = loader
    }

    /// What somebody is told who may not have a database, or what is in it: where rules count, nobody learns by asking what there is.
    func refusal(of name: String, to visitor: Visitor) -> RESTError {
        let isControlled = databases[name]?.controlsAccess ?? controlsAccess
        guard isControlled, visitor.rights.role != .administrator, visitor.rights.rules != nil else {
            return .notFound(databases[name] == nil ? "no such database" : "missing")
        }
        return .forbidden("there is nothing there that you may have")
    }
}
