/// Why something of the system is not to be had, in words for people, with what they can do about it.
package struct AdvisedError<Reason: Hashable & Sendable>: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: Reason
    package let message: String
    /// What the person can do.
    package let advice: String?

    package init(_ reason: Reason, _ message: String, advice: String? = nil) {
        self.reason = reason
        self.message = message
        self.advice = advice
    }

    package var description: String { advice.map { "\(message). \($0)" } ?? message }
}
