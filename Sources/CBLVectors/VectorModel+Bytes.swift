import CBLBase

/// A model as bytes: a head, the centroids, what the encoder knows, and a sum, all numbers little-endian.
///
///     "vxm1", dimensions u32, centroids u32, trainedOn u64, meanError f32, centroid floats, encoder floats, sum u32
///
/// The encoder's are `least` and `step` of each dimension, or the books of all parts, each preceded by how many vectors it has (u32). The sum is
/// FNV-1a over all in front of it.
extension VectorModel {
    private static let mark = Array("vxm1".utf8)

    package var bytes: [UInt8] {
        var bytes = VectorModel.mark
        func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
        func append(_ floats: [Float]) { for float in floats { append(float.bitPattern) } }
        append(UInt32(options.dimensions))
        append(UInt32(centroids.count))
        append(UInt64(trainedOn))
        append(meanError.bitPattern)
        append(centroids.values)
        switch encoder {
        case .none: break
        case .scalar(let quantizer):
            append(quantizer.least)
            append(quantizer.step)
        case .product(let quantizer):
            for book in quantizer.books {
                append(UInt32(book.count))
                append(book.values)
            }
        }
        return bytes + VectorModel.sum(of: bytes)
    }

    static func sum(of bytes: [UInt8]) -> [UInt8] {
        let sum = bytes.withUnsafeBytes { FNV1a.hash($0) }
        return withUnsafeBytes(of: sum.littleEndian) { Array($0) }
    }

    /// Nil for bytes that are no model for these options.
    package convenience init?(_ bytes: UnsafeRawBufferPointer, _ options: VectorOptions) {
        var reader = Reader(rest: bytes)
        guard options.problem == nil, let mark = reader.take(4), mark.elementsEqual(VectorModel.mark),
            let dimensions = reader.count(), dimensions == options.dimensions, let count = reader.count(),
            (1...options.centroids).contains(count), let total = reader.number(UInt64.self), let error = reader.number(UInt32.self),
            let values = reader.floats(count * dimensions)
        else { return nil }
        let encoder: Encoder
        switch options.encoding {
        case .none: encoder = .none
        case .scalar(let bits):
            guard let least = reader.floats(dimensions), let step = reader.floats(dimensions) else { return nil }
            encoder = .scalar(ScalarQuantizer(bits: bits, least: least, step: step))
        case .product(let parts, let bits):
            var books: [Centroids] = []
            for _ in 0..<parts {
                guard let size = reader.count(), (1...1 << bits).contains(size), let book = reader.floats(size * (dimensions / parts))
                else {
                    return nil
                }
                books.append(Centroids(book, dimensions: dimensions / parts))
            }
            encoder = .product(ProductQuantizer(bits: bits, books: books))
        }
        guard let sum = reader.number(UInt32.self), reader.rest.isEmpty,
            sum == FNV1a.hash(UnsafeRawBufferPointer(rebasing: bytes.dropLast(4)))
        else { return nil }
        self.init(
            options, Centroids(values, dimensions: dimensions), encoder, trainedOn: Int(clamping: total),
            meanError: Float(bitPattern: error))
    }

    private struct Reader {
        var rest: UnsafeRawBufferPointer

        mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
            guard rest.count >= count else { return nil }
            defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
            return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
        }

        mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
            take(MemoryLayout<Number>.size).map { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
        }

        mutating func count() -> Int? { number(UInt32.self).map(Int.init) }

        mutating func floats(_ count: Int) -> [Float]? {
            guard let bytes = take(4 * count), let base = bytes.baseAddress else { return count == 0 ? [] : nil }
            let floats = (0..<count).map { Float(littleEndianAt: base + 4 * $0) }
            // What is no number would hide everything that is compared with it.
            return floats.allSatisfy(\.isFinite) ? floats : nil
        }
    }
}
