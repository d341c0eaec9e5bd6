extension FixedWidthInteger {
    /// The sum, or the nearest number there is: what a file or a peer says can be anything.
    @inlinable
    package func addingClamped(_ other: Self) -> Self {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }
}
