/// What a certificate is for.
public struct KeyUsages: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// To show to those who connect.
    public static let serverAuth = KeyUsages(rawValue: 0x40)
    /// To show to those who are connected to.
    public static let clientAuth = KeyUsages(rawValue: 0x80)
}
