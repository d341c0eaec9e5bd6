import CBLSystemGnuTLS

/// The functions of GnuTLS, loaded when they are first needed.
enum GnuTLS {
    private static let loaded: cblite_gnutls? = {
        var table = cblite_gnutls()
        return cblite_gnutls_load(&table) ? table : nil
    }()

    static func functions() throws(TransportError) -> cblite_gnutls {
        guard let loaded else {
            throw TransportError(
                .network(.tlsHandshakeFailed), "there is no TLS: the library \(CBLITE_GNUTLS_LIBRARY) is not installed",
                advice: "Install the Debian package libgnutls30")
        }
        return loaded
    }

    static func text(_ code: Int32) -> String {
        guard let text = loaded?.error_text(code) else { return "error \(code)" }
        return String(cString: text)
    }

    /// Throws what a function answered that should have answered 0 or more.
    static func check(_ code: Int32, _ what: String) throws(TransportError) {
        guard code < 0 else { return }
        throw TransportError(.network(.tlsHandshakeFailed), "\(what): \(text(code))")
    }

    /// Bytes as the library takes them, for the length of a call.
    static func withDatum<Result>(_ bytes: [UInt8], _ body: (inout gnutls_datum_t) throws(TransportError) -> Result)
        throws(TransportError) -> Result
    {
        var copy = bytes
        return try copy.withUnsafeMutableBufferPointer { buffer throws(TransportError) -> Result in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
            return try body(&datum)
        }
    }

    /// What a function writes that says how much room it needs.
    static func output(_ what: String, _ write: (UnsafeMutableRawPointer?, inout Int) -> Int32) throws(TransportError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            var size = bytes.count
            let code = bytes.withUnsafeMutableBytes { write($0.baseAddress, &size) }
            if code == GNUTLS_E_SHORT_MEMORY_BUFFER, size > bytes.count {
                bytes = [UInt8](repeating: 0, count: size)
                continue
            }
            try check(code, what)
            return Array(bytes.prefix(size))
        }
    }
}
