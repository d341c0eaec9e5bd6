import Synchronization

/// How many requests somebody is answering, on whatever thread.
final class AnswerCount: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .acquiring) }
    func began() { number.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    func ended() { number.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
}
