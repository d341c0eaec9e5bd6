import CBLBase
import Testing

@Suite struct DigestTests {
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    ])
    func sha1MatchesThePublishedExamples(text: String, hex: String) {
        #expect(Array(text.utf8).withUnsafeBytes { SHA1.digest(of: $0).hex } == hex)
    }

    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    ])
    func md5MatchesThePublishedExamples(text: String, hex: String) {
        var md5 = MD5()
        for byte in text.utf8 { withUnsafeBytes(of: byte) { md5.update($0) } }
        #expect(md5.finish().withUnsafeBytes { Hex.text(of: $0) } == hex)
    }

    @Test func sha1InPiecesIsSha1AsAWhole() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = bytes.withUnsafeBytes { SHA1.digest(of: $0) }
        for size in [1, 3, 63, 64, 65, 999] {
            var sha1 = SHA1()
            for start in stride(from: 0, to: bytes.count, by: size) { sha1.update(bytes[start..<min(start + size, bytes.count)]) }
            #expect(sha1.finish() == whole)
        }
    }

    @Test func theDigestOfABlobNamesItsFile() {
        #expect(Array("hello blob".utf8).withUnsafeBytes { SHA1.digest(of: $0).base64 } == "c2XTGPrFT86b4bdd8Xo4E/Zpuww=")
    }

    @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"), ("\u{7f}\u{3ff}", "f8+/")])
    func base64MatchesThePublishedExamples(text: String, base64: String) {
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { Base64.text(of: $0) } == base64)
        #expect(Base64.bytes(of: base64.utf8) == bytes)
        let bare = base64.prefix { $0 != "=" }
        #expect(bytes.withUnsafeBytes { Base64.text(of: $0, isPadded: false) } == bare)
        #expect(Base64.bytes(of: bare.utf8) == bytes)
    }

    @Test(arguments: [("Zg==", "f"), ("Zh==", "f"), ("Zg=x", "f"), ("Zm9vY", "foo"), ("=Zg", ""), ("Z-", nil)])
    func uncheckedBase64EndsSomehow(text: String, expected: String?) {
        #expect(Base64.bytes(ofUnchecked: text.utf8) == expected.map { Array($0.utf8) })
    }

    @Test(arguments: ["=", "A", "A===", "AB", "Zh==", "Zg=", "Z-==", "Zg==Zg==", "Zm9v="])
    func otherBase64IsRefused(text: String) {
        #expect(Base64.bytes(of: text.utf8) == nil)
    }

    @Test func hexIsReadInBothCases() {
        #expect(Hex.bytes(of: "00fFA9") == [0, 255, 0xa9])
        #expect(Hex.bytes(of: "0") == nil)
        #expect(Hex.bytes(of: "0g") == nil)
        #expect(Hex.bytes(of: "\u{10}\u{11}") == nil)
    }
}
