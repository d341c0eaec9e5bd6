import CBLTestSupport
import Testing

@testable import CBLBase

@Suite struct CipherTests {
    private func bytes(_ digits: String) throws -> [UInt8] { try #require(Hex.bytes(of: digits)) }

    private let key = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
    private let clear =
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"

    /// From NIST's SP 800-38A, F.2.6.
    @Test func blocksAreThoseOfTheStandard() throws {
        let encrypted = try bytes(
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b")
        let aes = try #require(try bytes(key).withUnsafeBytes { AES(key: $0) })
        let first = try bytes("000102030405060708090a0b0c0d0e0f")
        func decrypt(_ blocks: ArraySlice<UInt8>, after chain: [UInt8]) -> [UInt8]? {
            var blocks = Array(blocks)
            let isDone = chain.withUnsafeBytes { chain in blocks.withUnsafeMutableBytes { aes.decrypt($0, chain: chain) } }
            return isDone ? blocks : nil
        }
        try #expect(decrypt(encrypted[...], after: first) == bytes(clear))
        // Each goes on from the one before it.
        for start in stride(from: 16, to: 64, by: 16) {
            try #expect(decrypt(encrypted[start...], after: Array(encrypted[start - 16..<start])) == Array(bytes(clear)[start...]))
        }
        #expect(decrypt(encrypted[..<0], after: first) == [])
        #expect(decrypt(encrypted[..<17], after: first) == nil)
        #expect(decrypt(encrypted[..<16], after: Array(first[..<15])) == nil)
    }

    /// Together, by the library or by our own loop where the processor can, texts become what they become one by one.
    @Test(arguments: AES.keySizes, [false, true]) func streamsAreTheSameTogether(keySize: Int, mayUseKernel: Bool) throws {
        var random = SeededRandom(UInt64(keySize))
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random.below(256)) } }
        let key = bytes(keySize)
        let aes = try #require(key.withUnsafeBytes { AES(key: $0, mayUseKernel: mayUseKernel) })
        let plain = try #require(key.withUnsafeBytes { AES(key: $0, mayUseKernel: false) })
        for lanes in 1...AES.mostStreams {
            for count in [1, 15, 16, 17, 128, 129, 4084] {
                let stride = count + random.below(40)
                let texts = bytes(lanes * stride)
                var blocks = (0..<lanes).map { _ in
                    var block = AES.Block()
                    for index in 0..<AES.blockSize { block[index] = UInt8(random.below(256)) }
                    return block
                }
                var expected = texts
                expected.withUnsafeMutableBytes { bytes in
                    for lane in 0..<lanes {
                        plain.applyChainedStream(
                            UnsafeMutableRawBufferPointer(rebasing: bytes[lane * stride..<lane * stride + count]), from: blocks[lane])
                    }
                }
                var found = texts
                found.withUnsafeMutableBytes { bytes in
                    blocks.withUnsafeMutableBufferPointer { blocks in
                        guard let start = bytes.baseAddress else { return }
                        aes.applyChainedStreams(start, stride: stride, count: count, from: blocks)
                    }
                }
                #expect(found == expected, "\(lanes) of \(count)")
            }
        }
    }

    @Test func keysOfOtherLengthsAreNone() {
        for count in 0...40 {
            let key = [UInt8](repeating: 1, count: count)
            #expect((key.withUnsafeBytes { AES(key: $0) } != nil) == (count == 16 || count == 32))
        }
    }

    /// From RFC 2202.
    @Test(arguments: [
        (String(repeating: "0b", count: 20), "4869205468657265", "b617318655057264e28bc0b6fb378c8ef146be00"),
        ("4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (String(repeating: "aa", count: 20), String(repeating: "dd", count: 50), "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
    ])
    func proofsAreThoseOfTheStandard(_ key: String, _ text: String, _ expected: String) throws {
        let keyed = try bytes(key).withUnsafeBytes { HMACSHA1(key: $0) }
        func isProof(_ text: [UInt8], _ expected: [UInt8]) -> Bool {
            var proof = keyed
            text.withUnsafeBytes { proof.update($0) }
            return expected.withUnsafeBytes { proof.isFinished(as: $0) }
        }
        let (text, expected) = (try bytes(text), try bytes(expected))
        #expect(isProof(text, expected))
        #expect(!isProof(text + [0], expected))
        #expect(!isProof(text, Array(expected.dropLast())))
        for place in expected.indices {
            var other = expected
            other[place] ^= 0x10
            #expect(!isProof(text, other))
        }
    }
}
