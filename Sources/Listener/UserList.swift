import Glibc
import Platform
import Transport

/// Names with passwords. The passwords themselves are not kept: only what shows that one is right.
public struct UserList: Sendable, CustomStringConvertible {
    private struct Secret: Sendable {
        let salt: [UInt8]
        let digest: [UInt8]

        init(_ password: String) {
            salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
            digest = Secret.digest(password, salt)
        }

        /// Takes the same time wherever they differ.
        func matches(_ password: String) -> Bool {
            zip(Secret.digest(password, salt), digest).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
        }

        private static func digest(_ password: String, _ salt: [UInt8]) -> [UInt8] {
            (salt + Array(password.utf8)).withUnsafeBytes { SHA256.digest(of: $0) }
        }
    }

    private var secrets: [String: Secret] = [:]
    // An unknown name takes as long as a wrong password.
    private let nobody = Secret("")

    public init() {}

    public var isEmpty: Bool { secrets.isEmpty }
    public var names: [String] { secrets.keys.sorted() }

    /// Adds somebody, or gives them another password.
    public mutating func set(_ name: String, password: String) { secrets[name] = Secret(password) }

    public func admits(_ credentials: Credentials) -> Bool {
        let secret = secrets[credentials.user]
        let isRight = (secret ?? nobody).matches(credentials.password)
        return isRight && secret != nil
    }

    /// Reads lines of `NAME:PASSWORD`; empty ones, and those that begin with `#`, are passed over. Gives the number of the first line that is
    /// something else.
    public mutating func read(lines text: String) -> Int? {
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex, line.index(after: colon) < line.endIndex else {
                return number + 1
            }
            set(String(line[..<colon]), password: String(line[line.index(after: colon)...]))
        }
        return nil
    }

    public var description: String { "\(secrets.count) users" }
}
