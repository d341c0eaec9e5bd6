import CBLTransport
import Glibc

// cblite-bench-http [BODY-BYTES]
//
// A server whose every answer is the same, until it is interrupted: what a load generator measures at it is what HTTP costs, without a database.
// How, and what was measured: ../README.md.

struct Constant: HTTPResponder {
    let head = HTTPResponseHead(
        status: 200, headers: ["Content-Type": "application/json", "ETag": "\"1-cd1a0c3ae4ee3c0b6e5d4fb02b3d4d2f\""])
    let body: [UInt8]

    func respond(to exchange: any HTTPExchange) -> (any HTTPFeed)? {
        do {
            try exchange.begin(head, length: body.count)
            try body.withUnsafeBytes { try exchange.write($0) }
        } catch {
            // Whoever is gone need not be told.
        }
        exchange.end()
        return nil
    }
}

let size = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 300
let constant = Constant(body: [UInt8](repeating: UInt8(ascii: "x"), count: max(0, size)))
var settings = HTTPServer.Settings()
settings.address = "127.0.0.1"
do {
    let server = try HTTPServer(settings, on: .shared) { _ in .respond(constant) }
    print("http://127.0.0.1:\(server.port)/")
    fflush(nil)
    while true { pause() }
} catch {
    print("cblite-bench-http: \(error)")
    exit(1)
}
