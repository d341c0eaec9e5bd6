import CBLBase
import CBLTestSupport
import Testing

@Suite struct GzipDecoderTests {
    /// "hello " a thousand times.
    private static let compressed: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC4, 0x31, 0x0D, 0x00, 0x00, 0x08, 0x03, 0x30, 0x2B, 0x98, 0x23,
        0xE1, 0x58, 0x82, 0xFF, 0x0F, 0x11, 0xBC, 0xED, 0xD1, 0xE9, 0x64, 0x6B, 0x6C, 0xDB, 0xB6, 0x6D, 0xDB, 0xB6, 0x6D, 0xDB, 0xF6, 0xE3,
        0x03, 0xC1, 0x37, 0x0C, 0x40, 0x70, 0x17, 0x00, 0x00,
    ]

    private func decoded(_ bytes: [UInt8], piece: Int = .max, most: Int = 6000) throws -> [UInt8] {
        let decoder = try GzipDecoder(mostBytes: most)
        var result: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(piece))
            rest = rest.dropFirst(part.count)
            try part.withUnsafeBytes { try decoder.decode($0) { result.append(contentsOf: $0) } }
        }
        try decoder.finish()
        return result
    }

    @Test(arguments: [1, 2, 7, 100]) func piecesOfAnySizeMakeTheWhole(_ piece: Int) throws {
        let result = try decoded(Self.compressed, piece: piece)
        #expect(result.count == 6000 && String(decoding: result.prefix(12), as: UTF8.self) == "hello hello ")
    }

    @Test func whatIsCutOffOrGoesOnIsAnError() throws {
        for count in 0..<Self.compressed.count {
            #expect(throws: GzipDecoder.Failure.cutOff) { try decoded(Array(Self.compressed.prefix(count))) }
        }
        #expect(throws: GzipDecoder.Failure.damaged) { try decoded(Self.compressed + [0]) }
        #expect(throws: GzipDecoder.Failure.tooLong) { try decoded(Self.compressed, most: 5999) }
    }

    @Test func flippedBitsNeverGiveSomethingElse() throws {
        let whole = try decoded(Self.compressed)
        Mutation.forEachSmall(of: Self.compressed) { bytes in
            guard let result = try? decoded(bytes) else { return }
            #expect(result == whole)
        }
    }
}
