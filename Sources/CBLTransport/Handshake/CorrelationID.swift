import CBLBase

/// By what both ends call a connection when they talk about it, in logs and to people. The server chooses it.
package enum CorrelationID {
    package static let header = "X-Correlation-Id"

    static func make() -> String {
        let number = UInt64.random(in: .min ... .max)
        return withUnsafeBytes(of: number.bigEndian) { Hex.text(of: $0) }
    }
}
