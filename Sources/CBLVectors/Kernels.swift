import CBLVectorKernels

/// The loops in C, for Swift's types. Callers have seen to it that everything has the length that it should.
enum Kernels {
    static func squaredDistance(_ query: [Float], _ vector: UnsafePointer<Float>) -> Float {
        var result: Float = 0
        cblvec_squared_distances(query, vector, 1, query.count, &result)
        return result
    }

    static func product(_ query: [Float], _ vector: UnsafePointer<Float>) -> Float {
        var result: Float = 0
        cblvec_dot_products(query, vector, 1, query.count, &result)
        return result
    }

    static func length(_ vector: [Float]) -> Float { length(vector, vector.count) }

    static func length(_ vector: UnsafePointer<Float>, _ count: Int) -> Float {
        var square: Float = 0
        cblvec_dot_products(vector, vector, 1, count, &square)
        return square.squareRoot()
    }

    /// Gives a vector length 1; one of length 0 stays.
    static func normalize(_ vector: UnsafeMutablePointer<Float>, _ count: Int) {
        let length = length(vector, count)
        guard length > 0, length.isFinite else { return }
        for place in 0..<count { vector[place] /= length }
    }
}
