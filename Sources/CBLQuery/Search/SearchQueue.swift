import CBLBase
import CBLStore

/// What was found in a piece of the table while one before it was still being searched.
struct KeptPiece: Sendable {
    var found: [FoundDocument] = []
    var summary = ValueSearch.Summary()
    /// About how much memory it takes.
    private(set) var size = 0
    /// How many rows were searched, if there was too much to be kept: the others have to be searched when it is their turn.
    var end: Int?

    mutating func add(_ document: FoundDocument) {
        found.append(document)
        size += document.id.utf8.count + 64 + document.hits.reduce(0) { $0 + $1.size }
    }
}

/// The pieces of a table: those that nobody has taken yet, and those that were searched and wait for their turn. The one whose turn it is is the
/// first. So what is told has an order, and how much waits has a limit.
final class SearchQueue: @unchecked Sendable {
    // Sendable: everything that changes is touched only under the lock.
    typealias Piece = (number: Int, rows: ClosedRange<Int64>)

    private let pieces: Pieces
    private let mostWaiting: Int
    private let lock = WaitCondition()
    private var waiting: [Int: (ClosedRange<Int64>, KeptPiece)] = [:]
    private var size = 0
    private var first = 0
    private var takenCount = 0
    private var failure: (any Error)?

    /// What may be kept of a single piece.
    var mostOfPiece: Int { mostWaiting / 4 }
    var isStopped: Bool { pieces.isStopped }

    init(_ pieces: Pieces, mostWaiting: Int) {
        self.pieces = pieces
        self.mostWaiting = mostWaiting
    }

    /// The next piece that nobody has; nil if there is none.
    func next() -> Piece? {
        lock.locked {
            guard let piece = pieces.next() else { return nil }
            takenCount = piece.number + 1
            return piece
        }
    }

    func keep(_ kept: KeptPiece, of piece: Piece) {
        lock.locked {
            waiting[piece.number] = (piece.rows, kept)
            size += kept.size
            lock.signal()
        }
    }

    /// For the thread that does not tell: waits until there is not too much that waits. False if the search is over.
    func waitForRoom() -> Bool {
        lock.locked {
            while size > mostWaiting, !isStopped { lock.wait() }
            return !isStopped
        }
    }

    func stop() {
        lock.locked {
            pieces.stop()
            lock.signal()
        }
    }

    func fail(_ error: any Error) {
        lock.locked {
            if failure == nil { failure = error }
            pieces.stop()
            lock.signal()
        }
    }
}

/// For the thread that tells.
extension SearchQueue {
    func isFirst(_ number: Int) -> Bool { lock.locked { first == number } }

    /// Too much waits for a piece that the other thread has.
    var isFull: Bool { lock.locked { size > mostWaiting } }

    /// What was found in the first piece; nil if it has not been searched.
    func takeFirst() -> (ClosedRange<Int64>, KeptPiece)? {
        lock.locked {
            guard let kept = waiting.removeValue(forKey: first) else { return nil }
            size -= kept.1.size
            lock.signal()
            return kept
        }
    }

    /// All of the first piece has been told.
    func advance() { lock.locked { first += 1 } }

    /// Whether there are pieces that have been taken and not been told.
    func awaitsMore() throws -> Bool {
        try lock.locked {
            if let failure { throw failure }
            return first < takenCount
        }
    }

    /// Waits for the other thread, but not so long that nobody would look after Ctrl-C.
    func waitForFirst() {
        lock.locked {
            if waiting[first] == nil, failure == nil { _ = lock.wait(until: Deadline(after: .milliseconds(50))) }
        }
    }
}
