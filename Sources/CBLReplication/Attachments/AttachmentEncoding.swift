import CBLFleece
import CBLStore
import Glibc

// Blobs for peers that know only attachments: for every blob in a document, a top-level `_attachments` has a copy of what describes it,
// under `blob_` and the blob's JSON pointer. Other attachments stay as they are.

/// A document's properties with `_attachments`.
package enum AttachmentEncoding {
    static let property = "_attachments"
    static let prefix = "blob_"

    /// Writes a document's properties for such a peer. `generation` is the revision's, 0 for a version. False if there are no blobs, unless an
    /// empty `_attachments` is wanted among other properties: then nothing is written, and the properties can be sent as they are.
    package static func write(
        _ root: Value, keys: SharedKeys?, generation: UInt32, evenIfEmpty: Bool = false, into encoder: FleeceEncoder
    ) -> Bool {
        guard let document = root.dictionary else { return false }
        var blobs: [(pointer: String, blob: DictionaryView)] = []
        var budget = WalkBudget(for: root)
        for (key, value) in document {
            guard let name = key.keyString(keys), name != property else { continue }
            findBlobs(in: value, keys, at: "/" + escaped(name), depth: 1, &blobs, &budget)
        }
        if budget.isExhausted { encoder.fail(.endless) }
        guard !blobs.isEmpty || evenIfEmpty && !document.isEmpty else { return false }
        budget = WalkBudget(for: root)
        encoder.beginDictionary()
        var others: DictionaryView?
        for (key, value) in document {
            guard let name = key.keyBytes(keys) else { continue }
            if name.elementsEqual(property.utf8) {
                others = value.dictionary
            } else {
                encoder.writeKey(name)
                encoder.write(value, keys: keys, within: &budget)
            }
        }
        encoder.writeKey(property)
        encoder.beginDictionary()
        if let others {
            for (key, value) in others {
                guard let name = key.keyString(keys), !name.hasPrefix(prefix) else { continue }
                encoder.writeKey(name)
                encoder.write(value, keys: keys, within: &budget)
            }
        }
        for (pointer, blob) in blobs {
            encoder.writeKey(prefix + pointer)
            write(stubOf: blob, keys, generation: generation, &budget, into: encoder)
        }
        encoder.endDictionary()
        encoder.endDictionary()
        return true
    }

    private static func write(
        stubOf blob: DictionaryView, _ keys: SharedKeys?, generation: UInt32, _ budget: inout WalkBudget, into encoder: FleeceEncoder
    ) {
        encoder.beginDictionary()
        for (key, value) in blob {
            guard let name = key.keyBytes(keys) else { continue }
            let isOurs = ["@type", "stub", "revpos"].contains { name.elementsEqual($0.utf8) }
            guard !isOurs else { continue }
            encoder.writeKey(name)
            encoder.write(value, keys: keys, within: &budget)
        }
        encoder.writeKey("stub")
        encoder.write(true)
        if generation > 0 {
            encoder.writeKey("revpos")
            encoder.write(Int64(generation))
        }
        encoder.endDictionary()
    }

    private static func findBlobs(
        in value: Value, _ keys: SharedKeys?, at pointer: String, depth: Int, _ blobs: inout [(pointer: String, blob: DictionaryView)],
        _ budget: inout WalkBudget
    ) {
        guard depth < Limits.depth, budget.visit(), budget.spend(pointer.utf8.count) else { return }
        if let dictionary = value.dictionary {
            if isBlob(dictionary, keys) { return blobs.append((pointer, dictionary)) }
            guard budget.enter(dictionary) else { return }
            for (key, member) in dictionary where !budget.isExhausted {
                guard let name = key.keyString(keys) else { continue }
                findBlobs(in: member, keys, at: pointer + "/" + escaped(name), depth: depth + 1, &blobs, &budget)
            }
        } else if let array = value.array {
            for (index, item) in array.enumerated() where !budget.isExhausted {
                findBlobs(in: item, keys, at: "\(pointer)/\(index)", depth: depth + 1, &blobs, &budget)
            }
        }
    }

    /// Everything in a document's bytes that may be the digest of a blob, each once. A look at the bytes that errs on the side of too many: a text
    /// may look like one.
    static func digests(in bytes: UnsafeRawBufferPointer) -> [BlobDigest] {
        var found: [BlobDigest] = []
        guard let start = bytes.baseAddress else { return found }
        var position = 0
        // A digest ends with a sign that is rare everywhere else.
        while let hit = memchr(start + position, Int32(UInt8(ascii: "=")), bytes.count - position) {
            position = UnsafeRawPointer(hit) - start + 1
            guard position >= digestLength, bytes[position - digestLength] == UInt8(ascii: "s") else { continue }
            let text = String(decoding: bytes[position - digestLength..<position], as: UTF8.self)
            if let digest = BlobDigest(text), !found.contains(digest) { found.append(digest) }
        }
        return found
    }

    /// `sha1-` and 28 signs.
    private static let digestLength = 33

    /// A dictionary that says that it is a blob, and which.
    static func isBlob(_ dictionary: DictionaryView, _ keys: SharedKeys?) -> Bool {
        guard let type = dictionary.value(forKey: "@type", keys)?.stringBytes, type.elementsEqual("blob".utf8) else { return false }
        return dictionary.value(forKey: "digest", keys)?.stringBytes != nil
    }

    /// A key as part of a JSON pointer.
    static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "~") }) else { return key }
        return key.reduce(into: "") { text, character in
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.append(character)
            }
        }
    }
}
