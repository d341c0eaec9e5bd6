import CBLBase
import Testing

@Suite struct HexTests {
    @Test func everyByteAtEveryPlaceHasItsTwoDigits() {
        for count in 0...9 {
            for value in UInt8.min...UInt8.max {
                let bytes = [UInt8](repeating: value, count: count)
                let pair = (value < 16 ? "0" : "") + String(value, radix: 16)
                #expect(bytes.withUnsafeBytes { Hex.text(of: $0) } == String(repeating: pair, count: count))
            }
        }
        #expect([UInt8](0...11).withUnsafeBytes { Hex.text(of: $0) } == "000102030405060708090a0b")
    }
}
