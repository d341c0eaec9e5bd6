import CBLBase

/// The key of an encrypted database. It is never shown: not in descriptions, dumps or errors.
///
///     options.key = EncryptionKey(password: "letmein")
package struct EncryptionKey: Sendable, Equatable {
    private let bytes: SecretBytes

    /// How many bytes a key has: what databases are encrypted with, and what 2.1 and older had on Apple's systems.
    package enum Cipher: Int, Sendable {
        case aes256 = 32
        case aes128 = 16
    }

    package let cipher: Cipher

    private init(_ bytes: SecretBytes, _ cipher: Cipher) {
        self.bytes = bytes
        self.cipher = cipher
    }

    /// A key as it is; nil unless it has as many bytes as a cipher takes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard let cipher = Cipher(rawValue: bytes.count) else { return nil }
        self.init(SecretBytes(bytes), cipher)
    }

    /// How releases make a key of a password. `sha1` is how they did it once; a password whose key does not fit is tried so, too.
    package enum Derivation: Sendable {
        case sha256
        case sha1
    }

    /// The key that the vendor's library makes of a password. Takes as long as reading a thousand documents, which is its purpose.
    package init(password: String, _ derivation: Derivation = .sha256) {
        var password = password
        let bytes = password.withUTF8 { text in
            PBKDF2.key(
                password: UnsafeRawBufferPointer(text), salt: "Salty McNaCl", rounds: 64_000, count: Cipher.aes256.rawValue,
                derivation == .sha256 ? .sha256 : .sha1)
        }
        self.init(bytes, .aes256)
    }

    /// The key of a file with AES-128 that has the same password, or the same key given for it: the first half.
    package var forAES128: EncryptionKey {
        let half = bytes.withBytes { SecretBytes(UnsafeRawBufferPointer(rebasing: $0.prefix(Cipher.aes128.rawValue))) }
        return EncryptionKey(half, .aes128)
    }

    /// For the ciphers. What `body` copies of it is its own to wipe.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result { try bytes.withBytes(body) }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "key (not shown)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
