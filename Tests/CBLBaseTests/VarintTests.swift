import CBLBase
import Testing

@Suite struct VarintTests {
    static let edges: [(value: UInt64, bytes: [UInt8])] = [
        (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 1]),
        (50_021, [0xE5, 0x86, 0x03]), (1 << 63, [UInt8](repeating: 0x80, count: 9) + [1]), (.max, [UInt8](repeating: 0xFF, count: 9) + [1]),
    ]

    private func read(_ bytes: [UInt8]) -> Varint.Reading { bytes.withUnsafeBytes { Varint.read($0) } }

    @Test(arguments: edges) func numbersAreWrittenAndRead(_ value: UInt64, _ bytes: [UInt8]) {
        var written = [UInt8](repeating: 0xEE, count: 3 + bytes.count)
        #expect(written.withUnsafeMutableBytes { Varint.write(value, to: $0, at: 3) } == bytes.count)
        #expect(written == [0xEE, 0xEE, 0xEE] + bytes)
        #expect(Varint.length(of: value) == bytes.count)
        #expect(read(bytes + [0xFF]) == .value(value, length: bytes.count))
        var position = 3
        #expect(written.withUnsafeBytes { Varint.read($0, at: &position) } == value)
        #expect(position == written.count)
    }

    @Test(arguments: edges) func whatIsCutOffIsIncomplete(_ value: UInt64, _ bytes: [UInt8]) {
        for count in bytes.indices {
            let rest = Array(bytes[..<count])
            #expect(read(rest) == .incomplete)
            var position = 0
            #expect(rest.withUnsafeBytes { Varint.read($0, at: &position) } as UInt64? == nil)
            #expect(position == 0)
        }
    }

    @Test(arguments: [[0xFF, 2], [0xFF, 0x81, 0], [0x80, 0x80, 0]] as [[UInt8]]) func moreThan64BitsAreRefused(_ end: [UInt8]) {
        let bytes = [UInt8](repeating: 0xFF, count: 8) + end
        #expect(read(bytes) == .tooLarge)
        var position = 0
        #expect(bytes.withUnsafeBytes { Varint.read($0, at: &position) } as UInt64? == nil)
        #expect(position == 0)
    }

    @Test func needlessGroupsAreRead() { #expect(read([0x81, 0]) == .value(1, length: 2)) }
}
