/// Why a WebSocket was closed, as the number that its close frame carries.
package struct CloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = CloseCode(rawValue: 1000)
    package static let goingAway = CloseCode(rawValue: 1001)
    package static let protocolError = CloseCode(rawValue: 1002)
    package static let unsupportedData = CloseCode(rawValue: 1003)
    /// The peer's close frame had no code. Never sent.
    package static let noCode = CloseCode(rawValue: 1005)
    /// The connection ended without a close frame. Never sent.
    package static let abnormal = CloseCode(rawValue: 1006)
    package static let badPayload = CloseCode(rawValue: 1007)
    package static let policy = CloseCode(rawValue: 1008)
    package static let tooBig = CloseCode(rawValue: 1009)
    package static let unexpectedCondition = CloseCode(rawValue: 1011)
    /// The peer's application had a passing difficulty: try again.
    package static let transientFailure = CloseCode(rawValue: 4001)
    /// The peer's application will refuse again.
    package static let permanentFailure = CloseCode(rawValue: 4002)

    /// Whether a frame may carry it: some numbers only describe what happened.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .normal: "normal"
        case .goingAway: "going away"
        case .protocolError: "protocol error"
        case .unsupportedData: "unsupported data"
        case .noCode: "no code given"
        case .abnormal: "connection lost"
        case .badPayload: "invalid text"
        case .policy: "against the policy"
        case .tooBig: "message too big"
        case .unexpectedCondition: "unexpected condition"
        case .transientFailure: "temporary failure"
        case .permanentFailure: "permanent failure"
        default: String(rawValue)
        }
    }
}
