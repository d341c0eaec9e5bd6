import CBLReplication

/// What an audit log may tell of, by the numbers of Couchbase Edge Server.
package enum AuditEvent: Int, CaseIterable, Hashable, Sendable {
    case serverStarted = 57344
    case serverStopped
    case request
    case authenticated
    case authenticationFailed
    case databaseRead
    case allDatabasesRead
    case feedStarted
    case feedEnded
    case syncConnected
    case syncDisconnected
    case replicationStarted
    case replicationStopped
    case replicationConflict
    case documentCreated
    case documentRead
    case documentUpdated
    case documentDeleted
    case documentMetadataRead
    case query

    /// Those that are told of if nobody says otherwise.
    static let usual = Set(AuditEvent.allCases).subtracting([
        .request, .databaseRead, .documentCreated, .documentRead, .documentUpdated, .documentDeleted, .documentMetadataRead,
    ])

    /// What an edit is; `parent` is the revision that it changes, if it names one.
    static func edit(of document: IncomingDocument, parent: String?) -> AuditEvent {
        document.isDeleted ? .documentDeleted : parent == nil ? .documentCreated : .documentUpdated
    }

    var name: StaticString {
        switch self {
        case .serverStarted: "Server started"
        case .serverStopped: "Server stopped"
        case .request: "HTTP request"
        case .authenticated: "User authenticated"
        case .authenticationFailed: "Authentication failed"
        case .databaseRead: "Database read"
        case .allDatabasesRead: "All databases read"
        case .feedStarted: "Changes feed started"
        case .feedEnded: "Changes feed ended"
        case .syncConnected: "Sync client connected"
        case .syncDisconnected: "Sync client disconnected"
        case .replicationStarted: "Replication started"
        case .replicationStopped: "Replication stopped"
        case .replicationConflict: "Replication conflict"
        case .documentCreated: "Document created"
        case .documentRead: "Document read"
        case .documentUpdated: "Document updated"
        case .documentDeleted: "Document deleted"
        case .documentMetadataRead: "Document metadata read"
        case .query: "Query"
        }
    }

    var explanation: StaticString {
        switch self {
        case .serverStarted: "The server takes connections"
        case .serverStopped: "The server has stopped"
        case .request: "A request was answered"
        case .authenticated: "Somebody has shown who they are"
        case .authenticationFailed: "Somebody was not let in"
        case .databaseRead: "Somebody was told about a database"
        case .allDatabasesRead: "Somebody was told which databases there are"
        case .feedStarted: "Somebody is told of changes from now on"
        case .feedEnded: "Somebody is told of no more changes"
        case .syncConnected: "A replicator has connected"
        case .syncDisconnected: "A replicator has left"
        case .replicationStarted: "This server has begun to replicate with another"
        case .replicationStopped: "This server has ended replicating with another"
        case .replicationConflict: "A document was changed at both sides of a replication"
        case .documentCreated: "A request has made a document"
        case .documentRead: "A request has read a document"
        case .documentUpdated: "A request has changed a document"
        case .documentDeleted: "A request has deleted a document"
        case .documentMetadataRead: "A request has read what is known about a document"
        case .query: "A query was run"
        }
    }
}
