import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// What is asked of the changes of a collection.
struct ChangesQuery {
    enum Feed {
        /// What there is.
        case normal
        /// What there is; if that is nothing, what comes next.
        case longpoll
        /// What there is and what comes, a line each.
        case continuous
        /// The same, as pages in a browser read it.
        case eventSource

        init(_ name: String?) {
            switch name {
            case "longpoll": self = .longpoll
            case "continuous": self = .continuous
            case "eventsource", "sse": self = .eventSource
            default: self = .normal
            }
        }

        var isLasting: Bool { self == .continuous || self == .eventSource }
    }

    let feed: Feed
    /// Nil for now, wherever that is.
    var since: UInt64?
    var limit = Int.max
    var showsAllLeaves = false
    var includesDocuments = false
    var isDescending = false
    var heartbeat: Duration?
    /// Whether deletions are passed over.
    var omitsDeleted = false
    /// Of silence, after which it ends; nil never.
    var timeout: Duration?
    /// Nil for all.
    var filter: ChangeFilter?
    var options: DocumentOptions

    static let usualTimeout = Duration.seconds(60)
    static let edgeTimeout = Duration.seconds(300)

    init(_ call: RESTCall) throws {
        let posted = call.request.method == "POST" ? try call.objectIfAny() : nil
        posted?.withRoot { if let members = $0.dictionary { call.parameters.merge(members) } }
        let parameters = call.parameters
        feed = Feed(parameters["feed"])
        since = ChangesQuery.since(call.request.headers["Last-Event-ID"] ?? parameters["since"])
        limit = parameters.integer("limit") ?? .max
        showsAllLeaves = parameters["style"] == "all_docs"
        includesDocuments = parameters.flag("include_docs")
        isDescending = parameters.flag("descending")
        guard !isDescending || feed == .normal || feed == .eventSource else {
            throw RESTError.badParameter("what is still to come has no descending order")
        }
        // What 1.x does: the order of all leaves is that of the documents.
        if showsAllLeaves { isDescending = false }
        omitsDeleted = parameters.flag("active_only")
        let isEdge = call.service.settings.edge != nil
        if !(isEdge && parameters["heartbeat"] == "0") {
            heartbeat = try ChangesQuery.heartbeat(parameters, shortest: call.service.settings.shortestHeartbeat)
        }
        timeout = try parameters.milliseconds("timeout")
        if isEdge {
            // A heartbeat takes the place of the limit, and none at all is 0.
            timeout = heartbeat != nil || timeout == .zero ? nil : timeout ?? ChangesQuery.edgeTimeout
        } else if timeout == nil, heartbeat == nil {
            timeout = ChangesQuery.usualTimeout
        }
        options = try DocumentOptions(parameters)
        filter = try ChangeFilter(parameters, call.keyspace(), isEdge: isEdge)
    }

    /// The number at the start; CouchDB's has a text behind it.
    private static func since(_ text: String?) -> UInt64? {
        guard text != "now" else { return nil }
        let digits = (text ?? "").utf8.drop { $0 == UInt8(ascii: "\"") }.prefix { $0 >= 0x30 && $0 <= 0x39 }
        return digits.count > 18 ? UInt64.max >> 1 : UInt64(String(Substring(digits))) ?? 0
    }

    private static func heartbeat(_ parameters: RESTParameters, shortest: Duration) throws(RESTError) -> Duration? {
        // As CouchDB's own replicator says that it wants the usual one.
        if parameters["heartbeat"] == "true" { return usualTimeout }
        guard let heartbeat = try parameters.milliseconds("heartbeat") else { return nil }
        guard heartbeat > .zero else { throw .badParameter("heartbeat is a number of milliseconds, and not 0") }
        return max(heartbeat, shortest)
    }
}
