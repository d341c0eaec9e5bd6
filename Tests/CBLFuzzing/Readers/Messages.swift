import CBLBase

@testable import CBLBLIP
@testable import CBLReplication

extension FuzzedReader {
    static let messages = [
        FuzzedReader("blip", "frames of BLIP, with checksums that are right", mostBytes: 600, seeds: frameSeeds, readFrames),
        FuzzedReader("blip-raw", "frames of BLIP as they come", mostBytes: 300, seeds: [InputParts.joined([[1, 0x40, 0, 0, 0, 0]])]) {
            bytes in
            var parts = InputParts(bytes)
            let connection = BLIPConnection(limits: limits)
            while !parts.isEmpty { _ = try withCopy(of: parts.piece()) { try connection.receive($0) } }
            return true
        },
        FuzzedReader("sync-message", "requests and answers of replication", mostBytes: 600, seeds: messageSeeds, readMessage),
        FuzzedReader("checkpoint", "checkpoints of peers", mostBytes: 300, texts: [#"{"local":5,"remote":"7:8","completed":[1,3,7,1]}"#]) {
            bytes in
            let checkpoint = Checkpoint(json: bytes)
            let again = Checkpoint(json: checkpoint.body(time: 0))
            require(again == checkpoint, "a checkpoint changes when it is written")
            _ = again.validated(against: Checkpoint())
            if let remote = RemoteSequence(json: String(decoding: bytes, as: UTF8.self)) { _ = remote.isBefore(RemoteSequence(5)) }
            return checkpoint != Checkpoint()
        },
    ]

    private static let limits = {
        var limits = Limits()
        (limits.message, limits.incompleteMessages, limits.inflatedFrame, limits.openRequests) = (100_000, 200_000, 50_000, 20)
        return limits
    }()

    /// A request whole, one in two parts, an answer, an acknowledgement.
    private static let frameSeeds = [
        [1, 0x00] + InputParts.joined([[12] + Array("Profile\0rev\0".utf8) + [1, 2]])
            + [2, 0x40] + InputParts.joined([[0, 5]]) + [2, 0x00] + InputParts.joined([[6]]) + [1, 0x01] + InputParts.joined([[0, 7]])
            + [1, 0x05] + InputParts.joined([[0x80, 0x04]]) + [3, 0x08] + InputParts.joined([[0, 8]])
    ]

    /// Each frame is a number, flags, and a piece.
    private static func readFrames(_ bytes: [UInt8]) throws -> Bool {
        let connection = BLIPConnection(limits: limits)
        for size in [10, 200_000] {
            try connection.send(
                OutgoingMessage(profile: "question", body: .bytes([UInt8](repeating: 1, count: size)), isCompressed: size == 10))
        }
        while try connection.nextFrame() != nil {}
        let deflater = try Deflater(level: 6)
        var checksum = Checksum()
        var parts = InputParts(bytes)
        while !parts.isEmpty {
            let (number, flags, payload) = (parts.byte(), parts.byte(), parts.piece())
            var frame: [UInt8] = number < 128 ? [number, flags] : [number, 1, flags]
            if flags & 0x07 > 3 {
                frame += payload
            } else {
                payload.withUnsafeBytes { checksum.update($0) }
                var data = payload
                if flags & 0x08 != 0, !payload.isEmpty {
                    var output = [UInt8](repeating: 0, count: payload.count * 9 / 8 + 100)
                    let count = try output.withUnsafeMutableBytes { output in
                        try payload.withUnsafeBytes { try deflater.deflate($0, into: output) }
                    }
                    data = Array(output[..<count])
                }
                frame += data + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum.value >> $0) }
            }
            do throws(BLIPError) {
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.count, alignment: 1)
                defer { copy.deallocate() }
                copy.copyBytes(from: frame)
                if case .received(let message)? = try connection.receive(UnsafeRawBufferPointer(copy)) {
                    _ = (message.profile, message.error, message.allProperties, message.bool("a"))
                    if case .request(let request) = message.origin { _ = try? connection.respond(to: request, error: .blip(.notFound)) }
                }
                while try connection.nextFrame() != nil {}
            } catch {
                require(!error.description.isEmpty && [1002, 1009].contains(error.closeCode), "an error without a code")
                return false
            }
        }
        return true
    }

    // MARK: What frames carry

    private static let profiles = [
        "getCheckpoint", "setCheckpoint", "subChanges", "changes", "proposeChanges", "rev", "norev", "getRev", "getAttachment",
        "proveAttachment", "getCollections",
    ]

    /// A profile by its number, properties, and a body.
    private static func readMessage(_ bytes: [UInt8]) throws -> Bool {
        var parts = InputParts(bytes)
        let profile = profiles[Int(parts.byte()) % profiles.count]
        var items: [(name: String, value: String)] = []
        for _ in 0..<parts.byte() % 8 { items.append((text(parts.piece()), text(parts.piece()))) }
        let body = parts.remainder()
        let request = WireRequest(profile: profile, properties: Properties(items), body: body)
        let reply = WireReply(properties: Properties(items), body: body)
        _ = try? ChangesReply(reply)
        _ = try? ProposalReply(reply)
        _ = try? CollectionsReply(reply)
        _ = try SyncRequest(request)
        return true
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func message(_ profile: UInt8, _ properties: [String], _ body: String) -> [UInt8] {
        [profile, UInt8(properties.count / 2)] + InputParts.joined(properties.map { Array($0.utf8) }, Array(body.utf8))
    }

    private static let messageSeeds = [
        message(0, ["client", "cp-1"], ""), message(1, ["client", "cp-1", "rev", "0-1"], #"{"local":1}"#),
        message(
            2, ["continuous", "true", "since", "5", "batch", "200", "filter", "sync_gateway/bychannel", "channels", "a,b"],
            #"{"docIDs":["a"]}"#),
        message(3, [], #"[[1,"doc","1-abcd",1,20],["5:6","b","18f@*"]]"#), message(4, [], #"[["doc","2-abcd","1-abcd",20]]"#),
        message(5, ["id", "doc", "rev", "2-abcd", "history", "1-ab", "sequence", "5", "deleted", "1", "deltaSrc", "1-ab"], #"{"a":1}"#),
        message(6, ["id", "doc", "rev", "2-abcd", "error", "404", "seq", "5"], ""), message(7, ["id", "doc"], ""),
        message(8, ["digest", "sha1-aaaaaaaaaaaaaaaaaaaaaaaaaaA=", "compress", "true"], ""),
        message(9, ["digest", "sha1-aaaaaaaaaaaaaaaaaaaaaaaaaaA="], "nonce"),
        message(10, [], #"{"checkpoint_ids":["a"],"collections":["_default.x"]}"#),
    ]
}
