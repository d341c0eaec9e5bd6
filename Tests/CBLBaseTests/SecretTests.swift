import CBLBase
import Testing

@Suite struct SecretTests {
    private func secret(_ text: String) -> SecretBytes {
        var text = text
        return text.withUTF8 { SecretBytes(UnsafeRawBufferPointer($0)) }
    }

    private func key(_ password: String, _ salt: StaticString, _ rounds: Int, _ count: Int, _ digest: PBKDF2.Digest) -> String {
        var password = password
        return password.withUTF8 { text in
            PBKDF2.key(password: UnsafeRawBufferPointer(text), salt: salt, rounds: rounds, count: count, digest)
        }.withBytes { Hex.text(of: $0) }
    }

    /// From RFC 6070 and RFC 7914.
    @Test func keysOfPasswordsAreThoseOfTheStandard() {
        #expect(key("password", "salt", 1, 20, .sha1) == "0c60c80f961f0e71f3a9b524af6012062fe037a6")
        #expect(key("password", "salt", 2, 20, .sha1) == "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957")
        #expect(
            key("passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25, .sha1)
                == "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038")
        #expect(
            key("passwd", "salt", 1, 64, .sha256)
                == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
        #expect(key("", "salt", 1, 32, .sha256) == "f135c27993baf98773c5cdb40a5706ce6a345cde61b000a67858650cd6a324d7")
    }

    @Test func secretsAreComparedByTheirBytes() {
        #expect(secret("one") == secret("one"))
        #expect(secret("one") != secret("two"))
        #expect(secret("one") != secret("ones"))
        #expect(secret("") == secret(""))
        #expect(secret("") != secret("x"))
    }

    @Test func secretsAreInNoDescription() {
        let secret = secret("pass-me-not")
        var dumped = ""
        dump([secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: [secret]), dumped, "\(Mirror(reflecting: secret).children.map(\.value))"] {
            #expect(!text.contains("pass-me-not") && !text.contains("112"), "\(text)")
        }
        #expect(secret.withBytes { Array($0) } == Array("pass-me-not".utf8))
    }
}
