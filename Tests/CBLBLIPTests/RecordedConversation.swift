import CBLTestSupport
import FoundationEssentials

/// What went over the wire between the vendor's program and its gateway.
struct RecordedConversation {
    struct Frame {
        let isFromClient: Bool
        let bytes: [UInt8]
    }

    private struct Line: Decodable { let from, op, hex: String? }

    let name: String
    let frames: [Frame]

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: Fixtures.vectors("blip"))) ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    init(_ name: String) throws {
        self.name = name
        let text = try String(contentsOfFile: Fixtures.vectors("blip/" + name), encoding: .utf8)
        frames = try text.split(separator: "\n").compactMap { line in
            let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            guard line.op == "binary", let text = line.hex else { return nil }
            return Frame(isFromClient: line.from == "client", bytes: hex(text))
        }
    }

    static func all() throws -> [RecordedConversation] { try names.map { try RecordedConversation($0) } }
}
