import CBLBase
import CBLFleece

@testable import CBLStore

extension FuzzedReader {
    static let revisions = [
        FuzzedReader("revision-tree", "trees of revisions", mostBytes: 600, seeds: treeSeeds) { bytes in
            let tree = try withCopy(of: bytes) { try RevisionTree(extra: $0, body: nil, sequence: 7) }
            try tree.checkInvariants()
            // What was read can be written, and is the same then.
            let written = tree.encoded()
            let again = try written.withUnsafeBytes { try RevisionTree(extra: $0, body: nil, sequence: 7) }
            require(again.encoded() == written, "a tree is written in two ways")
            _ = try? withCopy(of: bytes) { try RevisionTree(legacyBody: $0, sequence: 7) }
            return true
        },
        FuzzedReader("version-vector", "IDs of revisions and version vectors, as bytes and texts", mostBytes: 200, seeds: versionSeeds) {
            bytes in
            var isAccepted = false
            if let id = try? withCopy(of: bytes, { try RevisionID(binary: $0) }) {
                isAccepted = true
                require((try? RevisionID(parsing: id.description)) == id, "\(id) is not read again")
            }
            if let vector = try? withCopy(of: bytes, { try VersionVector(binary: $0) }) {
                isAccepted = true
                require((try? VersionVector(binary: vector.binary)) == vector, "a vector is not read again")
            }
            _ = try? StoredVersion(column: bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            if let id = try? RevisionID(parsing: text) {
                isAccepted = true
                require((try? RevisionID(parsing: id.description)) == id, "\(id) is not read again")
            }
            if let vector = try? VersionVector(parsing: text) {
                isAccepted = true
                require((try? VersionVector(parsing: "\(vector)")) == vector, "\(vector) is not read again")
            }
            return isAccepted
        },
        FuzzedReader("revisions", "the columns of a document with versions", mostBytes: 800, seeds: columnSeeds) { bytes in
            var parts = InputParts(bytes)
            let flags = DocumentFlags(rawValue: .init(parts.byte()))
            let (version, body, extra) = (parts.piece(), parts.piece(), parts.remainder())
            let source = SourceID.local
            let revisions = try withCopy(of: version) { version in
                try withCopy(of: body) { body in
                    try withCopy(of: extra) { extra in
                        try DocumentRevisions(
                            version: version, body: body, extra: extra.isEmpty ? nil : extra, sequence: 3, flags: flags, source: source,
                            bodies: .copies)
                    }
                }
            }
            for body in revisions.bodies { body.withRoot { _ = $0.kind } }
            for remote in 0..<4 as Range<UInt16> { _ = revisions.latest(onRemote: remote) }
            if let vectors = revisions.vectors { _ = try? vectors.prepareSave() }
            return true
        },
        FuzzedReader(
            "revision-1x", "what the columns of a revision of 1.x say", mostBytes: 400,
            seeds: [InputParts.joined([Array("2-ab12".utf8), []], Array(#"{"a":1}"#.utf8))]
        ) { bytes in
            var parts = InputParts(bytes)
            let (name, attachments, text) = (parts.piece(), parts.piece(), parts.remainder())
            let id = withCopy(of: name) { RevisionID(version1: $0) }
            require(id.generation > 0 || name.isEmpty || id.description.isEmpty == false, "an ID without a text")
            let body = Version1Body()
            return try withCopy(of: text) { json in
                _ = body.isDamaged(json)
                return try withCopy(of: attachments) { attachments in
                    try body.encode(json, attachments: attachments.isEmpty ? nil : attachments) { encoded in
                        if !encoded.isEmpty { try Validator.validate(FleeceData(Array(encoded))) }
                        return !encoded.isEmpty
                    }
                }
            }
        },
    ]

    private static func bytes(_ digits: String) -> [UInt8] { Hex.bytes(of: digits) ?? [] }

    /// Two revisions, the second one the parent of the first, which has a body.
    private static let treeSeeds = [
        bytes("0000000e" + "0001" + "82" + "03" + "02aabb" + "07" + "7000" + "0000000b" + "ffff" + "00" + "02" + "01cc" + "05" + "00000000")
    ]
    private static let vector: [UInt8] = {
        let other = SourceID([UInt8](1...16)) ?? .local
        let versions = [Version(time: 0x18EB_B810_9C98_0000, source: .local), Version(time: 0x17EB_B810_9C98_0000, source: other)]
        return (try? VersionVector(versions).binary) ?? []
    }()
    private static let versionSeeds =
        [bytes("02aabbccdd"), vector] + ["3-abcdef", "1a@AAAAAAAAAAAAAAAAAAAAAA", "18f@*"].map { Array($0.utf8) }
        + [(try? VersionVector(binary: vector)).map { Array($0.description.utf8) } ?? []]
    private static let columnSeeds = [
        [0] + InputParts.joined([bytes("01aabb"), bytes("7000")]),
        [0] + InputParts.joined([vector, bytes("7000")]),
    ]
}
