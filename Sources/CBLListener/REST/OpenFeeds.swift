import CBLBase
import Synchronization

/// The feeds of changes that clients have open.
final class OpenFeeds: Sendable {
    struct Feed: Sendable {
        let number: Int
        let keyspace: String
        /// What stood behind the question mark.
        let arguments: String
        let address: String
        let user: String?
        let startedAt: Int64
    }

    private struct State {
        var feeds: [Int: Feed] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    var all: [Feed] { state.withLock { $0.feeds.values.sorted { $0.number < $1.number } } }

    /// Gives its number.
    func open(_ call: RESTCall) -> Int {
        let request = call.request
        let user = call.visitor.name
        let arguments = request.query.items.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return state.withLock { state in
            state.lastNumber += 1
            state.feeds[state.lastNumber] = Feed(
                number: state.lastNumber, keyspace: call.place.database, arguments: arguments, address: request.address, user: user,
                startedAt: WallClock.milliseconds / 1000)
            return state.lastNumber
        }
    }

    func close(_ number: Int) { state.withLock { $0.feeds[number] = nil } }
}
