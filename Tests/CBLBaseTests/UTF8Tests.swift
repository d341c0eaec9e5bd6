import CBLBase
import Testing

@Suite struct UTF8Tests {
    @Test(arguments: [
        ("", true), ("61", true), ("c3a9", true), ("c1bf", false), ("e0a080", true), ("e09f80", false), ("ed9fbf", true), ("eda080", false),
        ("f0908080", true), ("f08f8080", false), ("f48fbfbf", true), ("f4908080", false), ("80", false), ("c3", false), ("e282", false),
        ("6161616161616161c3", false), ("61616161616161616161c3a9", true), ("f5808080", false), ("ff", false), ("efbfbf", true),
    ])
    func utf8IsCheckedToTheLetter(_ text: String, _ isValid: Bool) {
        (Hex.bytes(of: text) ?? []).withUnsafeBytes { bytes in
            #expect(isUTF8(bytes) == isValid)
            #expect((String(validating: bytes, as: UTF8.self) != nil) == isValid)
        }
    }
}
