import CBLBase
import CBLFleece
import CBLSystemSQLite
import Glibc

/// The vector functions.
enum VectorFunctions {
    static let rows = [
        FunctionRow("euclidean_distance", 2) { Call($0, $1, $2).euclideanDistance() },
        FunctionRow("euclidean_distance", 3) { Call($0, $1, $2).euclideanDistance() },
        FunctionRow("cosine_distance", 2) { Call($0, $1, $2).cosineDistance() },
        FunctionRow("fl_vector_to_index", 3) { Call($0, $1, $2).vectorToIndex() },
        FunctionRow("encode_vector", 1) { Call($0, $1, $2).encodeVector() },
        // Conditions for tables of vectors, which take them away; of anything else they say nothing.
        FunctionRow("vectorsearch_probes", 2) { Call($0, $1, $2).set(Int64(1)) },
        FunctionRow("vectorsearch_limit", 2) { Call($0, $1, $2).set(Int64(1)) },
    ]
}

extension Call {
    /// Both arguments as arrays of the same length.
    private var vectors: (ArrayView, ArrayView)? {
        guard let first = self[0].array, let second = self[1].array, first.count == second.count else { return nil }
        return (first, second)
    }

    fileprivate func euclideanDistance() {
        guard let (first, second) = vectors else { return }
        var sum = 0.0
        for index in 0..<first.count {
            let difference = (first[index].double ?? 0) - (second[index].double ?? 0)
            sum += difference * difference
        }
        guard count > 2, self[2].isNumber else { return set(sum.squareRoot()) }
        let exponent = self[2].double
        set(exponent == 2 ? sum : pow(sum.squareRoot(), exponent))
    }

    fileprivate func cosineDistance() {
        guard let (first, second) = vectors else { return }
        var (product, firstSquare, secondSquare) = (0.0, 0.0, 0.0)
        for index in 0..<first.count {
            let (a, b) = (first[index].double ?? 0, second[index].double ?? 0)
            product += a * b
            firstSquare += a * a
            secondSquare += b * b
        }
        set(1 - product / (firstSquare * secondSquare).squareRoot())
    }

    /// A vector of the right number of dimensions, else NULL: the row is then not indexed. Without a path, the argument itself is the value.
    fileprivate func vectorToIndex() {
        let dimensions = Int(truncatingIfNeeded: self[2].int64)
        let problem: VectorProblem?
        if self[1].type == SQLITE_NULL {
            guard !self[0].isMissing else { return }
            problem = setVector(self[0], dimensions: dimensions)
        } else {
            guard case .value(let value) = property() else { return }
            problem = setVector(value, dimensions: dimensions)
        }
        guard let problem, let hear = database.hearsOfVectorProblem else { return }
        hear(problem, self[1].string)
    }

    fileprivate func encodeVector() {
        switch setVector(self[0], dimensions: nil) {
        case nil: break
        case .length: fail("raw vector data length not multiple of 4")
        case .type: fail("\(VectorProblem.type.rawValue): it must be an array of numbers, or the Base64 text of 32-bit floats")
        case let problem?: fail(problem.rawValue)
        }
    }

    /// Makes the vector of a value the result, or tells what is wrong with it.
    private func setVector(_ argument: Argument, dimensions: Int?) -> VectorProblem? {
        if let text = argument.text { return setVector(base64: text, dimensions: dimensions) }
        if argument.subtype == Subtype.data, let bytes = argument.blob { return setVector(data: bytes, dimensions: dimensions) }
        return argument.encodedValue.map { setVector($0, dimensions: dimensions) } ?? .type
    }

    private func setVector(_ value: Value, dimensions: Int?) -> VectorProblem? {
        if let text = value.stringBytes { return setVector(base64: text, dimensions: dimensions) }
        if let bytes = value.dataBytes { return setVector(data: bytes, dimensions: dimensions) }
        guard let array = value.array else { return .type }
        guard !array.isEmpty, dimensions == nil || array.count == dimensions else { return .dimensions }
        // Hot: searches of vectors call this for each document that they measure.
        let count = array.count
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: count) { floats in
            for index in 0..<count {
                let item = array[index]
                guard item.isNumber, let number = item.double else { return .number }
                floats[index] = Float(number).bitPattern.littleEndian
            }
            set(data: UnsafeRawBufferPointer(start: floats.baseAddress, count: 4 * count))
            return nil
        }
    }

    private func setVector(base64 text: UnsafeRawBufferPointer, dimensions: Int?) -> VectorProblem? {
        guard let bytes = Base64.bytes(ofUnchecked: text) else { return .type }
        return bytes.withUnsafeBytes { setVector(data: $0, dimensions: dimensions) }
    }

    private func setVector(data: UnsafeRawBufferPointer, dimensions: Int?) -> VectorProblem? {
        guard !data.isEmpty, data.count.isMultiple(of: 4), dimensions == nil || data.count / 4 == dimensions else { return .length }
        set(data: data)
        return nil
    }
}
