import CBLBase
import Testing

@Suite struct UniqueIDTests {
    private let bytes: [UInt8] = [0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x42, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0x00]

    @Test func bytesAndTextsAreInOneOrder() throws {
        let id = try #require(bytes.withUnsafeBytes { UniqueID($0) })
        #expect(id.withBytes { Array($0) } == bytes)
        #expect(id.hexadecimal == "123e4567e89b42d3a456426614174000")
        #expect(id.description == "123e4567-e89b-42d3-a456-426614174000")
        #expect(id == UniqueID(high: 0x123e_4567_e89b_42d3, low: 0xa456_4266_1417_4000))
        for count in [0, 15, 17] { #expect([UInt8](repeating: 1, count: count).withUnsafeBytes { UniqueID($0) } == nil) }
    }

    @Test func newOnesAreOfVersion4AndDiffer() {
        let ids = (0..<1000).map { _ in UniqueID() }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            id.withBytes { bytes in
                #expect(bytes[6] >> 4 == 4 && bytes[8] >> 6 == 0b10)
            }
        }
        // Every other bit is random.
        var (ones, zeros) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 16))
        for id in ids {
            id.withBytes { bytes in
                for (place, byte) in bytes.enumerated() {
                    ones[place] |= byte
                    zeros[place] |= ~byte
                }
            }
        }
        #expect(ones.enumerated().allSatisfy { $1 == ($0 == 6 ? 0x4F : $0 == 8 ? 0xBF : 0xFF) })
        #expect(zeros.enumerated().allSatisfy { $1 == ($0 == 6 ? 0xBF : $0 == 8 ? 0x7F : 0xFF) })
    }

    @Test func theirOrderIsThatOfTheBytes() {
        let ids = (0..<200).map { _ in UniqueID() }
        #expect(ids.sorted().map(\.hexadecimal) == ids.map(\.hexadecimal).sorted())
    }
}
