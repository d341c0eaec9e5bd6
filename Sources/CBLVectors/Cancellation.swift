/// Whether somebody wants work to end that takes its time: asked from any thread, many times in a tenth of a second.
package struct Cancellation: Sendable {
    /// The work has ended without a result.
    package struct Cancelled: Error {}

    package let isRequested: @Sendable () -> Bool

    package init(isRequested: @escaping @Sendable () -> Bool) { self.isRequested = isRequested }

    package static let never = Cancellation { false }

    func check() throws(Cancelled) { if isRequested() { throw Cancelled() } }
}
