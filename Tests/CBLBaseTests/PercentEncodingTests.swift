import CBLBase
import CBLTestSupport
import Testing

@Suite struct PercentEncodingTests {
    @Test func percentEncodingIsItsOwnInverse() {
        var random = SeededRandom(5)
        for _ in 0..<500 {
            let name = String((0..<random.below(12)).map { _ in Character(Unicode.Scalar(UInt32(random.below(0x2FF)) + 1) ?? "x") })
            let encoded = PercentEncoding.component(name)
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
            #expect(PercentEncoding.decode(encoded) == name)
        }
        var name: [UInt8] = []
        for byte in [0x00, 0x2F, 0xAB, 0xFF] as [UInt8] { PercentEncoding.append(byte, to: &name) }
        #expect(String(decoding: name, as: UTF8.self) == "%00%2F%AB%FF")
        for text in ["%", "%1", "%zz", "%ff", "a%"] { #expect(PercentEncoding.decode(text) == nil) }
    }
}
