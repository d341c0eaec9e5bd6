extension DocumentRules {
    /// An ID for a document that has none: `~` and 22 random characters, 132 bits, as the vendor's library makes them.
    package static func newID() -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var random = SystemRandomNumberGenerator()
        let id = (0..<22).map { _ in digits[Int(random.next() & 63)] }
        return "~" + String(decoding: id, as: UTF8.self)
    }
}
