import CBLFleece
import CBLStore

/// The properties of a document as a peer sent them, on the way to what is stored: names with an underscore at the front go, and of the
/// attachments those that only repeat a blob.
package struct ReceivedBody {
    /// A blob that the document refers to.
    package struct Blob: Hashable, Sendable {
        package let digest: BlobDigest
        package let length: UInt64?
        /// Whether it is worth sending it compressed.
        package let isCompressible: Bool
    }

    /// The document left the user's channels: there are no properties.
    package private(set) var isRemoved = false
    package private(set) var blobs: [Blob] = []
    /// A digest that cannot be one, or that the sender's own list of attachments lacks: the document refers to something that is not to be had.
    package private(set) var badDigest: String?
    /// Whether the properties to be stored are those that came.
    package private(set) var isAsItCame = false

    /// Reads what came, and writes the properties to be stored into `encoder`; nothing if they are the same, and `leavesOutSame`.
    package init(
        _ root: Value, keys: SharedKeys? = nil, into encoder: FleeceEncoder, leavesOutSame: Bool = false
    ) throws(MalformedMessage) {
        guard let document = root.dictionary else { throw MalformedMessage("the body of a document is not an object") }
        isRemoved = document.value(forKey: "_removed", keys)?.boolean == true
        let attachments = document.value(forKey: AttachmentEncoding.property, keys)?.dictionary
        var corrections: [String: DictionaryView] = [:]
        var kept: [(name: String, value: Value)] = []
        if let attachments {
            for (key, value) in attachments {
                guard let name = key.keyString(keys) else { continue }
                guard let entry = value.dictionary, let pointer = ReceivedBody.pointer(name, document, keys) else {
                    kept.append((name, value))
                    continue
                }
                if let blob = pointer.blob, ReceivedBody.differ(blob, entry, keys) { corrections[pointer.text] = entry }
            }
        }
        isAsItCame = corrections.isEmpty && kept.isEmpty && !document.contains { ReceivedBody.isReserved($0.key.keyBytes(keys)) }
        if !isAsItCame || !leavesOutSame { ReceivedBody.write(document, keys, kept, corrections, into: encoder) }
        findBlobs(document, keys, kept, corrections)
        if let attachments, badDigest == nil {
            let listed = Set(attachments.compactMap { $0.value.dictionary?.value(forKey: "digest", keys)?.string })
            badDigest = blobs.first { !listed.contains($0.digest.description) }?.digest.description
        }
    }

    /// A name that is not stored; one that cannot be read neither.
    private static func isReserved(_ name: UnsafeRawBufferPointer?) -> Bool { name.map { $0.first == UInt8(ascii: "_") } ?? true }

    private static func write(
        _ document: DictionaryView, _ keys: SharedKeys?, _ kept: [(name: String, value: Value)], _ corrections: [String: DictionaryView],
        into encoder: FleeceEncoder
    ) {
        let writer = BodyWriter(keys: keys, encoder: encoder, corrections: corrections)
        encoder.beginDictionary()
        for (key, value) in document {
            guard let name = key.keyBytes(keys), !isReserved(name) else { continue }
            encoder.writeKey(name)
            writer.write(value, at: corrections.isEmpty ? "" : "/" + AttachmentEncoding.escaped(String(decoding: name, as: UTF8.self)))
        }
        if !kept.isEmpty {
            encoder.writeKey(AttachmentEncoding.property)
            encoder.beginDictionary()
            for (name, value) in kept {
                encoder.writeKey(name)
                encoder.write(value, keys: keys)
            }
            encoder.endDictionary()
        }
        encoder.endDictionary()
    }

    /// Where an attachment's name leads: nil if it is no copy of a blob, and has to be kept.
    private static func pointer(
        _ name: String, _ document: DictionaryView, _ keys: SharedKeys?
    ) -> (text: String, blob: DictionaryView?)? {
        guard name.hasPrefix(AttachmentEncoding.prefix) else { return nil }
        let rest = name.dropFirst(AttachmentEncoding.prefix.count)
        // 2.0 numbered its blobs.
        if let first = rest.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) { return (String(rest), nil) }
        guard rest.hasPrefix("/") else { return nil }
        var place: Value?
        var container: (DictionaryView?, ArrayView?) = (document, nil)
        for part in rest.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let key = part.contains("~") ? unescaped(part) : String(part)
            if let dictionary = container.0 {
                place = dictionary.value(forKey: key, keys)
            } else if let array = container.1, let index = Int(key), array.indices.contains(index) {
                place = array[index]
            } else {
                return nil
            }
            container = (place?.dictionary, place?.array)
        }
        guard let blob = place?.dictionary, AttachmentEncoding.isBlob(blob, keys) else { return nil }
        return (String(rest), blob)
    }

    private static func unescaped(_ part: Substring) -> String {
        var text = ""
        var isEscape = false
        for character in part {
            if isEscape {
                text += character == "0" ? "~" : character == "1" ? "/" : "~\(character)"
                isEscape = false
            } else if character == "~" {
                isEscape = true
            } else {
                text.append(character)
            }
        }
        return isEscape ? text + "~" : text
    }

    /// Somebody replaced the attachment by other means than through the document.
    private static func differ(_ blob: DictionaryView, _ entry: DictionaryView, _ keys: SharedKeys?) -> Bool {
        guard let digest = entry.value(forKey: "digest", keys)?.string else { return false }
        return digest != blob.value(forKey: "digest", keys)?.string
    }

    private mutating func findBlobs(
        _ document: DictionaryView, _ keys: SharedKeys?, _ kept: [(name: String, value: Value)], _ corrections: [String: DictionaryView]
    ) {
        var seen: Set<String> = []
        for (key, value) in document {
            guard let name = key.keyString(keys), !name.hasPrefix("_") else { continue }
            find(in: value, keys, at: "/" + AttachmentEncoding.escaped(name), corrections, depth: 1, &seen)
        }
        for (_, value) in kept {
            guard let entry = value.dictionary, entry.value(forKey: "digest", keys) != nil else { continue }
            add(entry, keys, &seen)
        }
    }

    private mutating func find(
        in value: Value, _ keys: SharedKeys?, at pointer: String, _ corrections: [String: DictionaryView], depth: Int,
        _ seen: inout Set<String>
    ) {
        guard depth < Limits.depth else { return }
        if let dictionary = value.dictionary {
            if AttachmentEncoding.isBlob(dictionary, keys) { return add(corrections[pointer] ?? dictionary, keys, &seen) }
            for (key, member) in dictionary {
                let next = corrections.isEmpty ? "" : pointer + "/" + AttachmentEncoding.escaped(key.keyString(keys) ?? "")
                find(in: member, keys, at: next, corrections, depth: depth + 1, &seen)
            }
        } else if let array = value.array {
            for (index, item) in array.enumerated() {
                find(in: item, keys, at: corrections.isEmpty ? "" : "\(pointer)/\(index)", corrections, depth: depth + 1, &seen)
            }
        }
    }

    private mutating func add(_ blob: DictionaryView, _ keys: SharedKeys?, _ seen: inout Set<String>) {
        guard let text = blob.value(forKey: "digest", keys)?.string, seen.insert(text).inserted else { return }
        guard let digest = BlobDigest(text) else { return badDigest = badDigest ?? text }
        blobs.append(
            Blob(
                digest: digest, length: blob.value(forKey: "length", keys)?.unsigned,
                isCompressible: ReceivedBody.isCompressible(
                    type: blob.value(forKey: "content_type", keys)?.string, encoding: blob.value(forKey: "encoding", keys)?.string)))
    }

    private static let packed = ["zip", "zlib", "pkcs", "mpeg", "mp4", "crypt", ".rar", "-rar"]

    /// Whether content of that type is likely to become smaller.
    static func isCompressible(type: String?, encoding: String?) -> Bool {
        guard let type = type?.lowercased() else { return false }
        if ["image/", "audio/", "video/"].contains(where: type.hasPrefix) { return false }
        let words = [type, encoding?.lowercased() ?? ""]
        return !packed.contains { part in words.contains { $0.firstRange(of: part) != nil } }
    }

    /// Whether a body may be stored as it came: no reserved names, no blobs. A look at the bytes that errs on the side of reading.
    package static func isPlain(json: UnsafeRawBufferPointer) -> Bool {
        // An escaped character can hide either.
        !mayHaveReservedNames(json: json) && !json.contains("\"digest\"")
    }

    /// Whether there may be names that are not to be stored.
    static func mayHaveReservedNames(json: UnsafeRawBufferPointer) -> Bool { json.contains("\"_") || json.contains("\\u") }
}

/// Copies values, and puts right the blobs at some places.
private struct BodyWriter {
    let keys: SharedKeys?
    let encoder: FleeceEncoder
    let corrections: [String: DictionaryView]

    func write(_ value: Value, at pointer: String) {
        // The parser bounded the depth.
        let isOnTheWay = corrections.keys.contains { $0.hasPrefix(pointer) }
        guard !corrections.isEmpty, isOnTheWay else { return encoder.write(value, keys: keys) }
        if let dictionary = value.dictionary {
            let correction = corrections[pointer]
            encoder.beginDictionary()
            for (key, member) in dictionary {
                guard let name = key.keyString(keys) else { continue }
                if correction != nil, BodyWriter.corrected.contains(name) { continue }
                encoder.writeKey(name)
                write(member, at: pointer + "/" + AttachmentEncoding.escaped(name))
            }
            if let correction {
                for name in BodyWriter.corrected {
                    guard let value = correction.value(forKey: name, keys) ?? dictionary.value(forKey: name, keys) else { continue }
                    encoder.writeKey(name)
                    encoder.write(value, keys: keys)
                }
            }
            encoder.endDictionary()
        } else if let array = value.array {
            encoder.beginArray()
            for (index, item) in array.enumerated() { write(item, at: "\(pointer)/\(index)") }
            encoder.endArray()
        } else {
            encoder.write(value, keys: keys)
        }
    }

    private static let corrected = ["digest", "length", "content_type"]
}
