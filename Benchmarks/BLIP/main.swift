import CBLBLIP
import Glibc

// cblite-bench-blip [MESSAGES [BODY-BYTES [LEVEL]]]
//
// Two connections in one process: one sends requests that look like revisions, the other reads them, looks at two properties and answers.
// What was measured: ../README.md.

let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let total = words.first ?? 1_000_000
let bodySize = words.dropFirst().first ?? 200
let level = words.dropFirst(2).first ?? 6
/// Requests under way at a time, as a replicator would have them.
let window = 200

/// A body such as a document has: words that come again, and some that do not.
func document(_ number: Int) -> [UInt8] {
    var text = "{\"type\":\"airport\",\"name\":\"Airport \(number)\",\"city\":\"City \(number % 977)\""
    var index = 0
    while text.utf8.count + 2 < bodySize {
        text += ",\"field\(index)\":\(number &* 7919 &+ index &* 104_729)"
        index += 1
    }
    return Array((text + "}").utf8)
}

/// The processor's time, so that others on the machine disturb little. There is one thread.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func run(compressed: Bool, answered: Bool) throws -> (seconds: Double, wireBytes: Int) {
    let sender = BLIPConnection(compressionLevel: level)
    let receiver = BLIPConnection(compressionLevel: level)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameSize.maximum, alignment: 16)
    defer { buffer.deallocate() }
    let bodies = (0..<1000).map(document)
    var sent = 0
    var done = 0
    var seen = 0
    var wireBytes = 0
    let start = processorSeconds()
    while done < total {
        while sent < total, sent - done < window {
            sent += 1
            var message = OutgoingMessage(profile: "rev", body: .bytes(bodies[sent % 1000]), isCompressed: compressed, isNoReply: !answered)
            message.properties.append("id", "airport_12345")
            message.properties.append("rev", "1-cd1a0c3ae4ee3c0b6e5d4fb02b3d4d2f1f1bb9ab")
            message.properties.append("sequence", sent)
            try sender.send(message)
        }
        while let frame = try sender.nextFrame(into: buffer) {
            wireBytes += frame.count
            guard case .received(let message)? = try receiver.receive(UnsafeRawBufferPointer(rebasing: buffer[..<frame.count])),
                case .request(let request) = message.origin
            else { continue }
            if message.isProperty("Profile", "rev"), message.integer("sequence") != nil { seen += 1 }
            if answered { try receiver.respond(to: request) } else { done += 1 }
        }
        while let frame = try receiver.nextFrame(into: buffer) {
            wireBytes += frame.count
            if case .received? = try sender.receive(UnsafeRawBufferPointer(rebasing: buffer[..<frame.count])) { done += 1 }
        }
    }
    let seconds = processorSeconds() - start
    guard seen == total else { throw BLIPError.closed }
    return (seconds, wireBytes)
}

do {
    print("\(total) messages with bodies of \(bodySize) bytes, level \(level)")
    for (name, compressed, answered) in [
        ("plain, no reply", false, false), ("plain, answered", false, true), ("deflated, answered", true, true),
    ] {
        let (seconds, bytes) = try run(compressed: compressed, answered: answered)
        print(
            "\(name): \(Int(Double(total) / seconds)) messages/s, \(Int(seconds / Double(total) * 1e9)) ns each, \(bytes / total) bytes each"
        )
    }
} catch {
    print("cblite-bench-blip: \(error)")
    exit(1)
}
