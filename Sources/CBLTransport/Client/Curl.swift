import CBLSystemCurl

/// The functions of libcurl, loaded when they are first needed.
enum Curl {
    // Once filled, the table does not change.
    private nonisolated(unsafe) static let loaded: cblite_curl? = {
        var table = cblite_curl()
        return cblite_curl_load(&table) ? table : nil
    }()

    static func functions() throws(TransportError) -> cblite_curl {
        guard let loaded else {
            throw TransportError(
                .network(.unknown), "there is no network: the library \(CBLITE_CURL_LIBRARY) is not installed",
                advice: "Install the Debian package libcurl3-gnutls")
        }
        return loaded
    }
}

/// A connection that libcurl has opened, or is opening. The transfer stays with the handle that runs it for as long as it is used: that is
/// where libcurl looks for the connection.
final class CurlHandle {
    let curl: cblite_curl
    let easy: UnsafeMutableRawPointer
    let multi: UnsafeMutableRawPointer

    init() throws(TransportError) {
        curl = try Curl.functions()
        guard let easy = curl.`init`(), let multi = curl.multi_init() else {
            throw TransportError(.network(.unknown), "no memory for a connection")
        }
        self.easy = easy
        self.multi = multi
    }

    deinit {
        withUnsafePointer(to: curl) { cblite_curl_observe($0, multi, nil, nil, nil) }
        _ = curl.multi_remove(multi, easy)
        curl.cleanup(easy)
        _ = curl.multi_cleanup(multi)
    }

    func set(_ option: CURLoption, _ text: String) { withUnsafePointer(to: curl) { _ = cblite_curl_set_text($0, easy, option, text) } }
    func set(_ option: CURLoption, _ number: Int) { withUnsafePointer(to: curl) { _ = cblite_curl_set_number($0, easy, option, number) } }
    func number(_ info: CURLINFO) -> Int { withUnsafePointer(to: curl) { cblite_curl_number($0, easy, info) } }
    var socket: Int32 { withUnsafePointer(to: curl) { cblite_curl_socket($0, easy) } }
}
