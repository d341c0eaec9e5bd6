import CBLBase
import Synchronization

/// The key of an encrypted database. It is never shown: not in descriptions, dumps or errors.
///
///     options.key = EncryptionKey(password: "letmein")
package struct EncryptionKey: Sendable, Equatable {
    /// How many bytes a key has: what databases are encrypted with, and what 2.1 and older had on Apple's systems.
    package enum Cipher: Int, Sendable {
        case aes256 = 32
        case aes128 = 16
    }

    /// How releases make a key of a password. `sha1` is how they did it once; a password whose key does not fit is tried so, too.
    package enum Derivation: Sendable {
        case sha256
        case sha1
    }

    package let cipher: Cipher
    private let derivation: Derivation
    private let source: Source

    /// What was given for the key, with the keys that were made of it.
    private final class Source: Sendable {
        let given: SecretBytes
        let isPassword: Bool
        private let derived = Mutex<(sha256: SecretBytes?, sha1: SecretBytes?)>((nil, nil))

        init(_ given: SecretBytes, isPassword: Bool) {
            self.given = given
            self.isPassword = isPassword
        }

        func key(_ derivation: Derivation) -> SecretBytes {
            guard isPassword else { return given }
            return derived.withLock { derived in
                switch derivation {
                case .sha256:
                    let key = derived.sha256 ?? derive(.sha256)
                    derived.sha256 = key
                    return key
                case .sha1:
                    let key = derived.sha1 ?? derive(.sha1)
                    derived.sha1 = key
                    return key
                }
            }
        }

        private func derive(_ digest: PBKDF2.Digest) -> SecretBytes {
            given.withBytes { PBKDF2.key(password: $0, salt: "Salty McNaCl", rounds: 64_000, count: Cipher.aes256.rawValue, digest) }
        }
    }

    private init(_ source: Source, _ cipher: Cipher, _ derivation: Derivation) {
        self.source = source
        self.cipher = cipher
        self.derivation = derivation
    }

    /// A key as it is; nil unless it has as many bytes as a cipher takes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard let cipher = Cipher(rawValue: bytes.count) else { return nil }
        self.init(Source(SecretBytes(bytes), isPassword: false), cipher, .sha256)
    }

    /// The key that the vendor's library makes of a password, made when it is first needed: that takes as long as reading a thousand documents, which
    /// is its purpose.
    package init(password: String, _ derivation: Derivation = .sha256) {
        var password = password
        let given = password.withUTF8 { SecretBytes(UnsafeRawBufferPointer($0)) }
        self.init(Source(given, isPassword: true), .aes256, derivation)
    }

    /// The key of a file with AES-128 that has the same password, or the same key given for it: the first half.
    package var forAES128: EncryptionKey { EncryptionKey(source, .aes128, derivation) }

    /// What a database may have been encrypted with, the likeliest first.
    var candidates: [EncryptionKey] {
        source.isPassword ? [self, EncryptionKey(source, cipher, derivation == .sha256 ? .sha1 : .sha256)] : [self]
    }

    /// The same with those of 16 bytes, which 2.1 and older had on Apple's systems.
    var candidatesOfAllLengths: [EncryptionKey] { candidates.flatMap { $0.cipher == .aes256 ? [$0, $0.forAES128] : [$0] } }

    /// All 32 bytes, where there are so many.
    var whole: EncryptionKey? {
        source.isPassword || source.given.count == Cipher.aes256.rawValue ? EncryptionKey(source, .aes256, derivation) : nil
    }

    /// For the ciphers. What `body` copies of it is its own to wipe.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try source.key(derivation).withBytes { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(cipher.rawValue))) }
    }

    package static func == (a: EncryptionKey, b: EncryptionKey) -> Bool {
        if a.cipher == b.cipher, a.derivation == b.derivation, a.source === b.source { return true }
        return a.cipher == b.cipher && SecretBytes(copying: a) == SecretBytes(copying: b)
    }
}

extension SecretBytes {
    fileprivate convenience init(copying key: EncryptionKey) {
        self.init(count: key.cipher.rawValue) { target in key.withBytes { target.copyMemory(from: $0) } }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "key (not shown)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
