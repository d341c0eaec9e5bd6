import CBLFleece
import CBLStore
import CBLTransport

/// `_changes`: what there is is answered at once; what is still to come, by a feed.
enum Changes {
    static func answer(_ call: RESTCall) throws -> (any HTTPFeed)? {
        let keyspace = try call.keyspace()
        let query = try ChangesQuery(call)
        try? keyspace.database.prepareChangeFeed(of: keyspace.collection)
        if keyspace.hasDesignDocuments { try? keyspace.database.prepareDesignFeed() }
        let last = try keyspace.database.read { try $0.lastSequence(of: keyspace.collection) }
        let isTagged = call.isReading && !query.feed.isLasting
        if isTagged, try call.isUnchanged("\(last)") { return nil }
        let reader = ChangesReader(keyspace, query, since: query.since ?? last)
        if query.feed.isLasting {
            guard call.isHead else { return try ChangesFeed(call, reader) }
            try call.begin(200, headers: ["Content-Type": "application/json"], length: nil)
            call.exchange.end()
            return nil
        }
        let headers: HTTPHeaders = isTagged ? ["Etag": "\"\(last)\""] : [:]
        let list = ChangesList(call, headers)
        var found = reader
        try list.read(from: &found)
        guard list.count == 0, query.feed == .longpoll, !found.isAtLimit else {
            try list.end(last: found.last, pending: found.countPending())
            return nil
        }
        return try LongpollFeed(call, found)
    }
}

/// An answer with a list of changes.
final class ChangesList {
    private(set) var count = 0
    private let answer: JSONAnswer

    init(_ call: RESTCall, _ headers: HTTPHeaders = [:]) {
        answer = JSONAnswer(call, headers: headers)
        answer.text.append("{\"results\":[\n")
    }

    func read(from reader: inout ChangesReader) throws {
        var goesOn = true
        while goesOn {
            goesOn = try reader.readPage { _, row in
                answer.separate()
                answer.text.append(row)
                count += 1
            }
            try answer.flush()
        }
    }

    /// `pending` is how many there are behind the last one.
    func end(last: UInt64, pending: Int = 0) throws {
        answer.text.append("\n],\"last_seq\":")
        answer.text.append(decimal: last)
        answer.text.append(",\"pending\":")
        answer.text.append(decimal: Int64(pending))
        answer.text.append("}")
        try answer.end()
    }
}
