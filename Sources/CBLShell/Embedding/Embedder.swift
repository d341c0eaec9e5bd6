import CBLFleece

/// What makes vectors of values: a program or a service.
protocol Embedder: AnyObject {
    /// Hands out the vectors of values in their order, nil where there is none. An error is about the first value that has got no answer.
    func embed(_ values: ArrayView, _ take: ([Float]?) throws -> Void) throws
    func end()
}

/// Why there is no vector.
struct EmbeddingError: Error, Hashable {
    let message: String
    /// Whether it is about one value, and not about whoever was asked.
    var isAboutValue = true
    var isInterruption = false
    var hint: String?
}

/// What was said for a vector: an array of numbers, or null for none.
enum EmbeddingAnswer {
    /// `who` has said it.
    static func vector(_ value: Value, from who: String) throws(EmbeddingError) -> [Float]? {
        if value.isNull { return nil }
        guard let array = value.array else {
            throw EmbeddingError(message: "\(who) answered with \(name(of: value)), not with an array of numbers or null")
        }
        var vector: [Float] = []
        vector.reserveCapacity(array.count)
        for item in array {
            guard item.isNumber, let number = item.double else {
                throw EmbeddingError(message: "\(who) answered with an array in which \(name(of: item)) is, not numbers alone")
            }
            guard Float(number).isFinite else {
                throw EmbeddingError(message: "\(who) answered with a number that is too large for a vector: \(number)")
            }
            vector.append(Float(number))
        }
        return vector
    }

    static func name(of value: Value) -> String {
        switch value.kind {
        case .array: "an array"
        case .dictionary: "an object"
        case .string: "a text"
        case .boolean: "true or false"
        case .null, .undefined: "null"
        case .integer, .double, .data: "a number"
        }
    }
}
