import CBLBase
import CBLTestSupport
import Testing

@Suite struct DecompressorTests {
    /// "hello " a thousand times.
    private static let compressed: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC4, 0x31, 0x0D, 0x00, 0x00, 0x08, 0x03, 0x30, 0x2B, 0x98, 0x23,
        0xE1, 0x58, 0x82, 0xFF, 0x0F, 0x11, 0xBC, 0xED, 0xD1, 0xE9, 0x64, 0x6B, 0x6C, 0xDB, 0xB6, 0x6D, 0xDB, 0xB6, 0x6D, 0xDB, 0xF6, 0xE3,
        0x03, 0xC1, 0x37, 0x0C, 0x40, 0x70, 0x17, 0x00, 0x00,
    ]

    private func decoded(
        _ bytes: [UInt8], as format: CompressedFormat? = .gzip, piece: Int = .max, most: Int = 6000, ratio: Int = .max
    ) throws -> [UInt8] {
        let decompressor = try Decompressor(format, mostBytes: most, mostRatio: ratio)
        var result: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(piece))
            rest = rest.dropFirst(part.count)
            try part.withUnsafeBytes { try decompressor.decode($0) { result.append(contentsOf: $0) } }
        }
        try decompressor.finish()
        return result
    }

    private func encoded(_ bytes: [UInt8], as format: CompressedFormat, piece: Int = .max) throws -> [UInt8] {
        let compressor = try Compressor(format)
        var result: [UInt8] = []
        var rest = bytes[...]
        while rest.count > piece {
            Array(rest.prefix(piece)).withUnsafeBytes { compressor.encode($0) { result.append(contentsOf: $0) } }
            rest = rest.dropFirst(piece)
        }
        Array(rest).withUnsafeBytes { compressor.encode($0, .finish) { result.append(contentsOf: $0) } }
        return result
    }

    @Test(arguments: [1, 2, 7, 100]) func piecesOfAnySizeMakeTheWhole(_ piece: Int) throws {
        let result = try decoded(Self.compressed, piece: piece)
        #expect(result.count == 6000 && String(decoding: result.prefix(12), as: UTF8.self) == "hello hello ")
    }

    @Test func whatIsCutOffOrGoesOnIsAnError() throws {
        for count in 0..<Self.compressed.count {
            #expect(throws: Decompressor.Failure.cutOff) { try decoded(Array(Self.compressed.prefix(count))) }
        }
        #expect(throws: Decompressor.Failure.damaged) { try decoded(Self.compressed + [0]) }
        #expect(throws: Decompressor.Failure.tooLong) { try decoded(Self.compressed, most: 5999) }
    }

    @Test func flippedBitsNeverGiveSomethingElse() throws {
        let whole = try decoded(Self.compressed)
        Mutation.forEachSmall(of: Self.compressed) { bytes in
            guard let result = try? decoded(bytes) else { return }
            #expect(result == whole)
        }
    }

    @Test(arguments: [CompressedFormat.gzip, .zlib, .raw]) func whatWasCompressedComesBack(_ format: CompressedFormat) throws {
        var random = SeededRandom(5)
        for length in [0, 1, 2, 100, 65536, 300_000] {
            let bytes = (0..<length).map { _ in UInt8(random.below(4) == 0 ? random.below(256) : 7) }
            for piece in [Int.max, 1000, 1] where piece > 1 || length <= 100 {
                let compressed = try encoded(bytes, as: format, piece: piece)
                #expect(try decoded(compressed, as: format, piece: piece, most: length) == bytes)
                // Both of them are called deflate, and told apart by how they begin.
                if case .gzip = format { continue }
                #expect(try decoded(compressed, as: nil, piece: piece, most: length) == bytes)
            }
        }
    }

    @Test func severalInARowAreOne() throws {
        let two = Self.compressed + Self.compressed
        for piece in [1, 50, Self.compressed.count, Int.max] {
            #expect(try decoded(two, piece: piece, most: 12000).count == 12000)
        }
        #expect(throws: Decompressor.Failure.tooLong) { try decoded(two, most: 11999) }
        #expect(throws: Decompressor.Failure.cutOff) { try decoded(two.dropLast(), most: 12000) }
        let zlib = try encoded([1, 2, 3], as: .zlib)
        #expect(throws: Decompressor.Failure.damaged) { try decoded(zlib + zlib, as: .zlib) }
    }

    @Test func bombsGoOffElsewhere() throws {
        let bomb = try encoded([UInt8](repeating: 0, count: 20 << 20), as: .gzip)
        #expect(bomb.count < 30_000)
        #expect(throws: Decompressor.Failure.tooLong) { try decoded(bomb, most: .max, ratio: Decompressor.usualRatio) }
        #expect(try decoded(bomb, most: .max).count == 20 << 20)
        // Small ones do no harm.
        let small = try encoded([UInt8](repeating: 0, count: 1 << 20), as: .gzip)
        #expect(try decoded(small, most: .max, ratio: Decompressor.usualRatio).count == 1 << 20)
    }

    @Test func whatWasFlushedCanBeRead() throws {
        let compressor = try Compressor(.gzip)
        let decompressor = try Decompressor(.gzip, mostBytes: 100)
        for piece in ["one", "two", ""] {
            var seen = ""
            try Array(piece.utf8).withUnsafeBytes { bytes in
                try compressor.encode(bytes, .pieces) { try decompressor.decode($0) { seen += String(decoding: $0, as: UTF8.self) } }
            }
            #expect(seen == piece)
        }
        #expect(!decompressor.isComplete)
    }

    @Test func rubbishIsAnErrorOrSomethingSmall() {
        var random = SeededRandom(99)
        var refused = 0
        for _ in 0..<2000 {
            let bytes = (0..<random.below(200)).map { _ in UInt8(random.below(256)) }
            if (try? decoded(bytes, as: nil, piece: 1 + random.below(50))) == nil { refused += 1 }
            _ = try? decoded([0x1F, 0x8B, 8, 0] + bytes)
        }
        #expect(refused > 1000)
    }
}
