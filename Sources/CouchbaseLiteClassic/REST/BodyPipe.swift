internal import CBLBase
import Foundation
import Synchronization

/// Between a thread that makes a body and a task that takes it: the one waits when much is waiting, the other when nothing is.
final class BodyPipe: Sendable {
    private struct State {
        var pieces: [Data] = []
        var bytes = 0
        var isComplete = false
        /// Nobody takes it any more.
        var isAbandoned = false
        var taker: CheckedContinuation<Data?, Never>?
    }

    private static let most = 1 << 18

    private let state = Mutex(State())
    private let bell = WaitCondition()
    /// Ends what makes the body.
    private let giveUp = Mutex<(@Sendable () -> Void)?>(nil)

    /// Has somebody told when nobody takes the body any more. Once, and before the program has the pipe.
    func whenAbandoned(_ giveUp: @escaping @Sendable () -> Void) { self.giveUp.withLock { $0 = giveUp } }

    /// False if nobody takes it any more.
    func put(_ piece: Data) -> Bool {
        guard !piece.isEmpty else { return true }
        bell.locked {
            while state.withLock({ $0.bytes >= BodyPipe.most && !$0.isAbandoned }) { bell.wait() }
        }
        let (taker, goesOn) = state.withLock { state -> (CheckedContinuation<Data?, Never>?, Bool) in
            guard !state.isAbandoned else { return (nil, false) }
            if let taker = state.taker {
                state.taker = nil
                return (taker, true)
            }
            state.pieces.append(piece)
            state.bytes += piece.count
            return (nil, true)
        }
        taker?.resume(returning: piece)
        return goesOn
    }

    func complete() {
        let taker = state.withLock { state in
            state.isComplete = true
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(returning: nil)
    }

    func next() async -> Data? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let piece = state.withLock { state -> Data?? in
                    guard !state.pieces.isEmpty else {
                        if state.isComplete || state.isAbandoned || state.taker != nil { return .some(nil) }
                        state.taker = continuation
                        return nil
                    }
                    let piece = state.pieces.removeFirst()
                    state.bytes -= piece.count
                    return piece
                }
                bell.locked { bell.signal() }
                if let piece { continuation.resume(returning: piece) }
            }
        } onCancel: {
            abandon()
        }
    }

    func abandon() {
        let taker = state.withLock { state in
            state.isAbandoned = true
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(returning: nil)
        bell.locked { bell.signal() }
        giveUp.withLock { $0 }?()
    }

    /// What the program holds of a pipe: when it is let go, nobody will take anything any more.
    final class Holder: Sendable {
        let pipe: BodyPipe
        init(_ pipe: BodyPipe) { self.pipe = pipe }
        deinit { pipe.abandon() }
    }
}
