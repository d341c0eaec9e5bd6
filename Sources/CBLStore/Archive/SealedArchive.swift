import CBLBase
import CBLSystemNettle

/// An archive that only who has its key can read, and nobody can change: pieces in AES-256-GCM, each with its number, of which the last says that it is
/// the last. `docs/archive-format.md` describes the bytes.
package enum SealedArchive {
    /// What such a file begins with.
    package static let magic = Array("cblite sealed archive 1\n".utf8)
    static let saltSize = 32
    package static let headerSize = magic.count + saltSize
    /// A piece: its length, its bytes, the proof.
    package static let lengthSize = 4
    package static let proofSize = 16
    package static let longestPiece = 1 << 16
    fileprivate static let lastMark: UInt32 = 1 << 31

    /// What is wrong with a sealed archive.
    package enum Problem: Error, Sendable, CustomStringConvertible {
        case wrongKey
        case damaged
        case cutOff

        package var description: String {
            switch self {
            case .wrongKey: "that is not the key or password of this archive, or its beginning is damaged"
            case .damaged: "the archive was changed after it was written, or is damaged"
            case .cutOff: "the archive is cut off: its end is missing"
            }
        }
    }

    /// The cipher of one archive, which goes from piece to piece.
    fileprivate struct Cipher {
        private let context: Context
        private var number: UInt64 = 0

        private final class Context {
            let key: UnsafeMutablePointer<gcm_aes256_ctx>
            init(_ bytes: UnsafeRawBufferPointer) {
                key = .allocate(capacity: 1)
                key.initialize(to: gcm_aes256_ctx())
                if let start = bytes.baseAddress { nettle_gcm_aes256_set_key(key, start.assumingMemoryBound(to: UInt8.self)) }
            }
            deinit {
                SecretBytes.wipe(UnsafeMutableRawBufferPointer(start: key, count: MemoryLayout<gcm_aes256_ctx>.size))
                key.deallocate()
            }
        }

        /// The key of the archive is made of that of the database and of random bytes.
        init?(_ key: EncryptionKey, salt: UnsafeRawBufferPointer) {
            guard key.cipher == .aes256 else { return nil }
            let derived = SecretBytes(count: 32) { target in
                key.withBytes { key in
                    var context = hmac_sha256_ctx()
                    let purpose = Array("cblite archive".utf8)
                    nettle_hmac_sha256_set_key(&context, key.count, key.baseAddress?.assumingMemoryBound(to: UInt8.self))
                    nettle_hmac_sha256_update(&context, purpose.count, purpose)
                    nettle_hmac_sha256_update(&context, salt.count, salt.baseAddress?.assumingMemoryBound(to: UInt8.self))
                    nettle_hmac_sha256_digest(&context, target.count, target.baseAddress?.assumingMemoryBound(to: UInt8.self))
                    withUnsafeMutableBytes(of: &context) { SecretBytes.wipe($0) }
                }
            }
            context = derived.withBytes { Context($0) }
        }

        /// Encrypts or decrypts the next piece in its place, and gives its proof.
        mutating func next(
            _ piece: UnsafeMutableRawBufferPointer, length: UInt32,
            _ work: (UnsafeMutablePointer<gcm_aes256_ctx>, Int, UnsafeMutablePointer<UInt8>) -> Void
        ) -> [UInt8] {
            let nonce = [UInt8](repeating: 0, count: 4) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
            number += 1
            nettle_gcm_aes256_set_iv(context.key, nonce.count, nonce)
            withUnsafeBytes(of: length.bigEndian) {
                nettle_gcm_aes256_update(context.key, $0.count, $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
            if let start = piece.baseAddress?.assumingMemoryBound(to: UInt8.self), !piece.isEmpty { work(context.key, piece.count, start) }
            var proof = [UInt8](repeating: 0, count: proofSize)
            nettle_gcm_aes256_digest(context.key, proof.count, &proof)
            return proof
        }
    }

    /// Seals an archive that is written.
    package struct Writer {
        private var cipher: Cipher
        private let salt: [UInt8]
        private var hasBegun = false
        private var gathered: [UInt8] = []

        /// Nil for a key of another length than archives have.
        package init?(_ key: EncryptionKey) {
            var salt = [UInt8](repeating: 0, count: saltSize)
            salt.withUnsafeMutableBytes { RandomBytes.ask($0) }
            guard let cipher = salt.withUnsafeBytes({ Cipher(key, salt: $0) }) else { return nil }
            self.cipher = cipher
            self.salt = salt
        }

        /// Takes a part of the archive, and gives `emit` what is sealed of it.
        package mutating func append(_ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void) throws {
            var rest = bytes
            while !rest.isEmpty {
                // A full one is kept until there is more: the last piece is never empty, but for an empty archive.
                if gathered.count == longestPiece { try seal(isLast: false, emit) }
                let count = min(rest.count, longestPiece - gathered.count)
                gathered.append(contentsOf: rest[..<count])
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }

        package mutating func finish(_ emit: (UnsafeRawBufferPointer) throws -> Void) throws { try seal(isLast: true, emit) }

        private mutating func seal(isLast: Bool, _ emit: (UnsafeRawBufferPointer) throws -> Void) throws {
            if !hasBegun { try (magic + salt).withUnsafeBytes(emit) }
            hasBegun = true
            let length = UInt32(gathered.count) | (isLast ? lastMark : 0)
            let proof = gathered.withUnsafeMutableBytes { cipher.next($0, length: length) { nettle_gcm_aes256_encrypt($0, $1, $2, $2) } }
            try (withUnsafeBytes(of: length.bigEndian) { Array($0) } + gathered + proof).withUnsafeBytes(emit)
            gathered.removeAll(keepingCapacity: true)
        }
    }

    /// Opens a sealed archive piece by piece.
    package struct Reader {
        private var cipher: Cipher
        private var isFirst = true
        /// Whether the last piece was opened: nothing may follow.
        package private(set) var isAtEnd = false

        /// `header` is the first `headerSize` bytes.
        package init(_ key: EncryptionKey, header: UnsafeRawBufferPointer) throws(Problem) {
            guard header.count == headerSize, header.starts(with: magic),
                let cipher = Cipher(key, salt: UnsafeRawBufferPointer(rebasing: header[magic.count...]))
            else { throw .wrongKey }
            self.cipher = cipher
        }

        /// How many bytes follow a length: the piece and its proof.
        package static func count(_ length: UInt32) throws(Problem) -> Int {
            let count = Int(length & ~lastMark)
            guard count <= longestPiece else { throw .damaged }
            return count + proofSize
        }

        /// Gives what a piece holds.
        package mutating func open(_ piece: [UInt8], length: UInt32) throws(Problem) -> [UInt8] {
            guard !isAtEnd, piece.count == (try Reader.count(length)) else { throw .damaged }
            var content = Array(piece.dropLast(proofSize))
            let proof = content.withUnsafeMutableBytes { cipher.next($0, length: length) { nettle_gcm_aes256_decrypt($0, $1, $2, $2) } }
            let isRight = piece.suffix(proofSize).withUnsafeBytes { found in
                proof.withUnsafeBytes { nettle_memeql_sec(found.baseAddress, $0.baseAddress, proofSize) != 0 }
            }
            guard isRight else { throw isFirst ? .wrongKey : .damaged }
            isFirst = false
            isAtEnd = length & lastMark != 0
            return content
        }
    }
}
