/// Why a delta could not be made or applied.
package struct DeltaError: Error, Equatable, Sendable, CustomStringConvertible {
    package let message: String
    /// The keys and indexes that lead to the place within the document.
    package private(set) var path: [String] = []

    init(_ message: String) { self.message = message }

    /// The same error seen from one level further out.
    func within(_ key: String) -> DeltaError {
        var error = self
        error.path.insert(key, at: 0)
        return error
    }

    package var description: String {
        path.isEmpty ? message : "at \(path.map { "\"\($0)\"" }.joined(separator: ".")): \(message)"
    }

    static let tooDeep = DeltaError("values are nested more than \(Limits.depth) levels deep")
    static let endless = DeltaError("\(FleeceError.endless)")
}
