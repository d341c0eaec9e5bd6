import CBLBase
import CBLReplication
import CBLTransport
import Glibc

/// Has somebody sign in at a page of a provider of identities: in the browser of `$BROWSER`, or in one of their own. What that comes to is a URL, which
/// is caught if it leads to this machine, and is pasted otherwise.
struct OpenIDPage {
    let page: OpenIDLogin.Page
    let session: Session

    func place() throws -> String {
        let scheme = page.url.prefix { $0 != ":" }.lowercased()
        guard scheme == "https" || scheme == "http", page.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CommandError.failed("the page of the server's provider is none that a browser could show")
        }
        let catcher = try RedirectCatcher(page.redirect)
        guard catcher != nil || session.canAsk else {
            throw CommandError.usage("--oidc needs somebody at a terminal, who signs in at the provider's page")
        }
        session.currentProgress?.clear()
        StandardError.write("Sign in at this page:\n\n  \(page.url)\n\n")
        try openBrowser()
        if let catcher { return try catcher.wait() }
        StandardError.write(
            "At the end the browser shows an address that begins with \(ForeignText.line(page.redirect)), whatever its page says. Paste it here: "
        )
        let line = String(decoding: try session.typedLine(), as: UTF8.self).trimmingPrefix { $0.isWhitespace }
        guard !line.isEmpty else { throw CommandError.failed("the sign-in was given up") }
        return String(line.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// The URL is a word, and never part of a command.
    private func openBrowser() throws {
        guard let browser = Terminal.environment("BROWSER"), !browser.isEmpty else { return }
        do {
            let ending = try ChildProcess(shell: ["-c", "$BROWSER \"$1\" >/dev/null 2>&1 &", "sh", page.url]).wait()
            if ending != .exit(0) { session.notice("$BROWSER could not be started: open the page yourself.") }
        } catch { session.notice("$BROWSER could not be started: open the page yourself.") }
    }
}

/// Listens on this machine for the browser that a provider sends back.
final class RedirectCatcher {
    private let descriptor: Int32
    private let redirect: PeerURL
    private static let longestHead = 1 << 15
    /// A browser also asks for other things.
    private static let mostRequests = 100

    /// Nil if the URL does not lead to this machine.
    init?(_ text: String) throws {
        guard let url = try? PeerURL(text), !url.isSecure, ServerAccess.isThisMachine(url.host), url.host != "::1" else { return nil }
        redirect = url
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw CommandError.failed("a socket cannot be made: \(String(cString: strerror(errno)))") }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = url.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        // Somebody else listens there: then it may be the gateway itself.
        guard isBound, listen(descriptor, 8) == 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The URL to which the browser was sent.
    func wait() throws -> String {
        for _ in 0..<RedirectCatcher.mostRequests {
            guard try RedirectCatcher.isReady(descriptor, nil) else { continue }
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { continue }
            defer { close(connection) }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            guard let target = try target(connection) else { continue }
            let path = target.prefix { $0 != "?" }
            guard path == redirect.path else {
                RedirectCatcher.answer(connection, "404 Not Found", "There is nothing here.")
                continue
            }
            RedirectCatcher.answer(connection, "200 OK", "You are back in the terminal: this page can be closed.")
            var place = redirect
            place.query = nil
            return place.webDescription + target.dropFirst(path.count)
        }
        throw CommandError.failed("the browser asks for other things, and does not come back from the sign-in")
    }

    // False after so many seconds; nil waits for Ctrl-C alone.
    private static func isReady(_ descriptor: Int32, _ seconds: Int?) throws -> Bool {
        var rounds = 0
        while seconds.map({ rounds < $0 * 10 }) ?? true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&waiting, 1, 100)
            try Interruption.check()
            if count > 0 { return true }
            rounds += 1
        }
        return false
    }

    private func target(_ connection: Int32) throws -> String? {
        var head: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while !head.contains(UInt8(ascii: "\n")) {
            guard head.count < RedirectCatcher.longestHead, try RedirectCatcher.isReady(connection, 5) else { return nil }
            let count = read(connection, &piece, piece.count)
            guard count > 0 else { return nil }
            head += piece[..<count]
        }
        let line = String(decoding: head.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let words = line.split(separator: " ")
        guard words.count >= 2, words[0] == "GET", words[1].hasPrefix("/") else { return nil }
        return String(words[1])
    }

    private static func answer(_ connection: Int32, _ status: String, _ text: String) {
        let body = "<!doctype html><meta charset=utf-8><title>cblite</title><p>\(text)"
        let answer =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(body)"
        var bytes = Array(answer.utf8)
        _ = send(connection, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
