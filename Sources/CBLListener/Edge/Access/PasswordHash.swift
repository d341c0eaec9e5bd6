import CBLBase
import CBLSystemCrypt
import Glibc

/// What a file keeps of a password: a hash of bcrypt, which takes its time to make, `$2b$12$` and 53 characters.
package struct PasswordHash: Hashable, Sendable {
    package let text: String

    /// Nil if it is none.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard bytes.count == 60, bytes[0] == UInt8(ascii: "$"), bytes[1] == UInt8(ascii: "2"), "abxy".utf8.contains(bytes[2]),
            bytes[3] == UInt8(ascii: "$"), isDigit(bytes[4]), isDigit(bytes[5]), bytes[6] == UInt8(ascii: "$"),
            bytes[7...].allSatisfy({ PasswordHash.alphabet.contains($0) })
        else { return nil }
        // A number of rounds that takes hours is no hash of anybody's.
        guard (4...PasswordHash.mostRounds).contains(Int(bytes[4] - 48) * 10 + Int(bytes[5] - 48)) else { return nil }
        self.text = text
    }

    /// Of a new password.
    package init(password: String, rounds: Int = usualRounds) throws(ConfigurationError) {
        let random = (0..<16).map { _ in CChar.random(in: .min ... .max) }
        var setting = [CChar](repeating: 0, count: 64)
        let library = try PasswordHash.loaded()
        guard library.setting("$2b$", UInt(rounds), random, Int32(random.count), &setting, Int32(setting.count)) != nil,
            let text = try PasswordHash.hash(password, by: setting), let hash = PasswordHash(text)
        else { throw ConfigurationError("", "a hash of the password cannot be made") }
        self = hash
    }

    package static let usualRounds = 12
    private static let mostRounds = 16
    private static let alphabet = Set("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Takes as long for a wrong password as for the right one: a quarter of a second with the usual rounds.
    package func matches(_ password: String) -> Bool {
        guard let other = try? PasswordHash.hash(password, by: Array(text.utf8CString)) else { return false }
        return zip(other.utf8, text.utf8).reduce(other.utf8.count ^ text.utf8.count) { $0 | Int($1.0 ^ $1.1) } == 0
    }

    /// Says now if passwords could not be looked at later.
    package static func check() throws(ConfigurationError) { _ = try loaded() }

    private static func hash(_ password: String, by setting: [CChar]) throws(ConfigurationError) -> String? {
        // The function knows no text with a zero in it.
        guard !password.utf8.contains(0) else { return nil }
        let library = try loaded()
        var data: UnsafeMutableRawPointer?
        var size: Int32 = 0
        defer {
            if let data {
                SecretBytes.wipe(UnsafeMutableRawBufferPointer(start: data, count: Int(size)))
                free(data)
            }
        }
        guard let hash = library.hash(password, setting, &data, &size), hash.pointee != CChar(UInt8(ascii: "*")) else { return nil }
        return String(cString: hash)
    }

    private static let library: cblite_crypt_library? = {
        var library = cblite_crypt_library()
        return cblite_crypt_load(&library) ? library : nil
    }()

    private static func loaded() throws(ConfigurationError) -> cblite_crypt_library {
        guard let library else { throw ConfigurationError("", "passwords need libcrypt.so.1, of the package libcrypt1") }
        return library
    }
}
