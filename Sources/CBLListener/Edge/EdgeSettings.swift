import CBLReplication

/// What a listener needs to know to answer as Couchbase Edge Server does.
package struct EdgeSettings: Sendable {
    let configuration: EdgeConfiguration
    /// Carries out what replications need of files, and of where they are.
    let loader: EdgeReplicationLoader
    let sessions = SyncSessions()

    package init(_ configuration: EdgeConfiguration, loader: EdgeReplicationLoader) {
        self.configuration = configuration
        self.loader = loader
    }

    /// What somebody is told who may not have a database, or what is in it: where rules count, nobody learns by asking what there is.
    func refusal(of name: String, to visitor: Visitor) -> RESTError {
        guard configuration.controlsAccess(to: name), visitor.rights.role != .administrator, visitor.rights.rules != nil else {
            return .notFound(configuration.databases[name] == nil ? "no such database" : "missing")
        }
        return .forbidden("there is nothing there that you may have")
    }
}
