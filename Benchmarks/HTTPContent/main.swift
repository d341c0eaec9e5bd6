import CBLBase
import CBLTransport
import Glibc

// cblite-bench-http-content [MEGABYTES]
//
// How quickly bodies of several parts, and compressed ones, are read from memory. What was measured: ../README.md.

let megabytes = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 512
let pieceSize = 65536

/// The processor's time, so that others on the machine disturb little. There is one thread.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func report(_ name: String, bytes: Int, _ work: () throws -> Void) rethrows {
    let start = processorSeconds()
    try work()
    let seconds = processorSeconds() - start
    let text = name + String(repeating: " ", count: max(0, 44 - name.utf8.count))
    print("\(text) \(Int(Double(bytes) / seconds / 1e6)) MB/s")
}

struct BytesAreMissing: Error {}

/// A body with one part that has a piece as its content, again and again.
func readParts(_ piece: [UInt8]) throws {
    let writer = MultipartWriter("related")
    var reader = try MultipartReader(writer.type)
    var count = 0
    func read(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try reader.read($0) { if case .content(let content) = $0 { count += content.count } } }
    }
    try read(writer.opening(["Content-Type": "application/octet-stream"]))
    for _ in 0..<megabytes << 20 / pieceSize { try read(piece) }
    try read(writer.ending)
    try reader.finish()
    guard count == megabytes << 20 else { throw BytesAreMissing() }
}

do {
    let line = Array("{\"type\": \"airport\", \"name\": \"Airport\"}\r\n".utf8)
    let contents: [(String, [UInt8])] = [
        ("parts: bytes by chance", (0..<pieceSize).map { _ in UInt8.random(in: 0...255) }),
        ("parts: lines of text", (0..<pieceSize).map { line[$0 % line.count] }),
        ("parts: nothing but line ends", (0..<pieceSize).map { $0 % 2 == 0 ? 0x0D : 0x0A }),
    ]
    for (name, piece) in contents { try report(name, bytes: megabytes << 20) { try readParts(piece) } }

    let text = (0..<pieceSize).map { line[$0 % line.count] ^ ($0 % 7 == 0 ? UInt8.random(in: 0...7) : 0) }
    let rounds = (megabytes << 20) / pieceSize / 8
    var packed: [UInt8] = []
    try report("gzip: packing", bytes: rounds * pieceSize) {
        guard let compressor = try ContentCoding.gzip.compressor() else { return }
        for round in 1...rounds {
            text.withUnsafeBytes { compressor.encode($0, round == rounds ? .finish : .none) { packed.append(contentsOf: $0) } }
        }
    }
    try report("gzip: unpacking", bytes: rounds * pieceSize) {
        guard let decoder = try ContentCoding.gzip.decoder(mostBytes: .max) else { return }
        try packed.withUnsafeBytes { try decoder.decode($0) { _ in } }
        try decoder.finish()
    }
} catch {
    print("cblite-bench-http-content: \(error)")
    exit(1)
}
