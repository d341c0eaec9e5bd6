import CBLBase
import CBLTransport
import Synchronization

/// Looks for peers on the local network, for a moment.
enum PeerSearch {
    /// How long a search lasts at most, in seconds: what answers at all does so in one or two.
    static let usualPatience = 3
    static let longestPatience = 60

    private enum Letter: Sendable {
        case event(PeerDirectoryEvent)
        case failed(DiscoveryError)
    }

    /// What keeps a directory until nobody waits for it any more. The daemon may take its time to answer.
    private final class Place: Sendable {
        private let state = Mutex<(directory: AvahiDirectory?, isOver: Bool)>((nil, false))

        func take(_ directory: AvahiDirectory) {
            let isOver = state.withLock { state in
                if !state.isOver { state.directory = directory }
                return state.isOver
            }
            if isOver { directory.stop() }
        }

        func end() {
            let directory = state.withLock { state in
                state.isOver = true
                return state.directory
            }
            directory?.stop()
        }
    }

    /// Those that are there, by name. Ctrl-C ends it.
    static func peers(within seconds: Int = usualPatience) throws -> [FoundPeer] {
        let mailbox = try Mailbox<Letter>()
        let place = Place()
        defer { place.end() }
        _ = WorkerThread(name: "peers") {
            do throws(DiscoveryError) {
                place.take(try AvahiDirectory(PeerWishes(browses: true)) { mailbox.put(.event($0)) })
            } catch { mailbox.put(.failed(error)) }
        }
        let end = MonotonicClock.seconds + Double(seconds)
        var found: [FoundPeer.Service: FoundPeer] = [:]
        var isComplete = false
        while !isComplete, MonotonicClock.seconds < end {
            let pause = Int32(max(0, end - MonotonicClock.seconds) * 1000) + 1
            for letter in mailbox.takeUntilInterrupted(milliseconds: pause) {
                switch letter {
                case .failed(let error), .event(.failed(let error)): throw commandError(error)
                case .event(.found(let peer)): found[peer.service] = peer
                case .event(.lost(let service)): found[service] = nil
                case .event(.complete): isComplete = true
                case .event(.advertised): break
                }
            }
            try Interruption.check()
        }
        return found.values.sorted { ($0.name, $0.service.type) < ($1.name, $1.service.type) }
    }

    static func commandError(_ error: DiscoveryError) -> CommandError { .failed(error.message, hint: error.advice.map { $0 + "." }) }
}
