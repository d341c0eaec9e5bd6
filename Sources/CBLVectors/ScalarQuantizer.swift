import CBLVectorKernels

/// Keeps each number as a step between the least and the greatest that its dimension had among the vectors it was trained on.
struct ScalarQuantizer: Sendable {
    let bits: Int
    let least: [Float]
    let step: [Float]

    init(bits: Int, least: [Float], step: [Float]) {
        self.bits = bits
        self.least = least
        self.step = step
    }

    /// `vectors` lie one after the other.
    init(
        bits: Int, dimensions: Int, trainedOn vectors: UnsafePointer<Float>, _ count: Int, _ cancellation: Cancellation
    ) throws(Cancellation.Cancelled) {
        var least = [Float](repeating: .infinity, count: dimensions)
        var greatest = [Float](repeating: -.infinity, count: dimensions)
        for vector in 0..<count {
            if vector.isMultiple(of: 1024) { try cancellation.check() }
            for place in 0..<dimensions {
                let value = vectors[vector * dimensions + place]
                least[place] = min(least[place], value)
                greatest[place] = max(greatest[place], value)
            }
        }
        let steps = Float((1 << bits) - 1)
        self.init(
            bits: bits, least: least.map { $0.isFinite ? $0 : 0 },
            step: zip(least, greatest).map { ($1 - $0).isFinite ? max($1 - $0, 0) / steps : 0 })
    }

    func encode(_ vector: UnsafePointer<Float>, into code: UnsafeMutablePointer<UInt8>) {
        let top = Float((1 << bits) - 1)
        var packer = BitPacker(code)
        for place in least.indices {
            let level = step[place] > 0 ? ((vector[place] - least[place]) / step[place]).rounded() : 0
            // What is not a number is not above 0 either.
            packer.append(level > 0 ? UInt32(min(level, top)) : 0, bits)
        }
        packer.finish()
    }

    func decode(_ code: UnsafePointer<UInt8>, into vector: UnsafeMutablePointer<Float>) {
        var levels = [UInt8](repeating: 0, count: least.count)
        cblvec_unpack_levels(code, bits, 1, least.count, &levels)
        for place in least.indices { vector[place] = least[place] + step[place] * Float(levels[place]) }
    }
}

/// Writes numbers of some bits one behind the other, the lowest bits first.
struct BitPacker {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var pending: UInt32 = 0
    private var pendingBits = 0

    init(_ bytes: UnsafeMutablePointer<UInt8>) { self.bytes = bytes }

    mutating func append(_ value: UInt32, _ bits: Int) {
        pending |= value << UInt32(pendingBits)
        pendingBits += bits
        while pendingBits >= 8 {
            bytes.pointee = UInt8(truncatingIfNeeded: pending)
            bytes += 1
            pending >>= 8
            pendingBits -= 8
        }
    }

    mutating func finish() {
        if pendingBits > 0 { bytes.pointee = UInt8(truncatingIfNeeded: pending) }
    }
}
