import CBLBase
import CBLSQLite

/// Pages as SQLCipher 3 encrypts them, and with it Couchbase Lite 1.1 to 1.4.
///
/// A page ends with the 16 bytes that its chain of blocks begins with, 20 bytes that prove it, and 12 without a meaning. The first page begins with
/// the salt of the file, 16 bytes in the place of what each SQLite file begins with. `docs/file-format.md` has it all.
final class SQLCipher: PageCipher {
    static let name = "SQLCipher 3 (AES-256)"
    static let saltSize = 16
    /// In this order they are tried: what 1.x has, and what somebody could have set.
    private static let pageSizes = [1024, 4096, 2048, 8192, 16384, 32768, 65536, 512]
    private static let tailSize = 48
    /// Of the key of the proofs, which is made of the key. It need not be slow: nobody guesses 32 bytes.
    fileprivate static let proofRounds = 2
    fileprivate static let proofSaltMask: UInt8 = 0x3a

    let pageSize: Int
    private let aes: AES
    /// With the key in it, to be copied for each page.
    private let proof: HMACSHA1

    private init(_ aes: AES, _ proof: HMACSHA1, pageSize: Int) {
        self.aes = aes
        self.proof = proof
        self.pageSize = pageSize
    }

    /// The cipher of a file, of which `read` gives bytes as they are, and the key of those that are possible. Nil if none of them is the key. A damaged
    /// page is no proof against a key, so a few are tried.
    static func fitting(_ key: EncryptionKey, _ read: (_ count: Int, _ offset: Int) -> [UInt8]?) -> (cipher: SQLCipher, key: EncryptionKey)?
    {
        guard key.cipher == .aes256, let salt = read(saltSize, 0) else { return nil }
        for key in key.candidates {
            guard let aes = key.withBytes({ AES(key: $0) }) else { continue }
            let proof = HMACSHA1(proving: key, salt: salt)
            for pageSize in pageSizes {
                let cipher = SQLCipher(aes, proof, pageSize: pageSize)
                for number in 1...4 {
                    guard var page = read(pageSize, (number - 1) * pageSize) else { break }
                    if page.withUnsafeMutableBytes({ cipher.decrypt($0, number: UInt32(number)) }) { return (cipher, key) }
                }
            }
        }
        return nil
    }

    func decrypt(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool {
        guard page.count == pageSize else { return false }
        let start = number == 1 ? SQLCipher.saltSize : 0
        let end = pageSize - SQLCipher.tailSize
        let proofStart = end + AES.blockSize
        var proof = proof
        proof.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(page)[start..<proofStart]))
        withUnsafeBytes(of: number.littleEndian) { proof.update($0) }
        guard proof.isFinished(as: UnsafeRawBufferPointer(rebasing: page[proofStart..<proofStart + HMACSHA1.count])),
            aes.decrypt(
                UnsafeMutableRawBufferPointer(rebasing: page[start..<end]), chain: UnsafeRawBufferPointer(rebasing: page[end..<proofStart]))
        else { return false }
        if number == 1 { UnsafeMutableRawBufferPointer(rebasing: page[..<start]).copyBytes(from: DatabaseHeader.magic) }
        return true
    }
}

extension HMACSHA1 {
    fileprivate init(proving key: EncryptionKey, salt: [UInt8]) {
        let secret = key.withBytes { key in
            salt.map { $0 ^ SQLCipher.proofSaltMask }.withUnsafeBytes {
                PBKDF2.key(password: key, salt: $0, rounds: SQLCipher.proofRounds, count: EncryptionKey.Cipher.aes256.rawValue, .sha1)
            }
        }
        self = secret.withBytes { HMACSHA1(key: $0) }
    }
}
