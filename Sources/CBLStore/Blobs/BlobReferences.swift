import CBLFleece

/// Finds the blobs that a body refers to: dictionaries with `"@type": "blob"` at any depth, and the members of a top-level `_attachments`.
package enum BlobReferences {
    /// Whether there is any. Hot: asked for every document that is saved.
    static func exist(in body: UnsafeRawBufferPointer, _ root: Value, _ keys: SharedKeys) -> Bool {
        if mightHoldType(body) && hasBlob(root, keys) { return true }
        return root.dictionary?.value(forKey: "_attachments", keys)?.dictionary != nil
    }

    /// Calls `found` with each blob's digest and its dictionary.
    package static func forEach(in root: Value, _ keys: SharedKeys?, _ found: (_ digest: String, _ blob: DictionaryView) throws -> Void)
        rethrows
    {
        try root.forEachDictionary { dictionary in
            if isBlob(dictionary, keys), let digest = dictionary.value(forKey: "digest", keys)?.string { try found(digest, dictionary) }
            return true
        }
        guard let attachments = root.dictionary?.value(forKey: "_attachments", keys)?.dictionary else { return }
        for (_, attachment) in attachments {
            guard let dictionary = attachment.dictionary, !isBlob(dictionary, keys) else { continue }
            if let digest = dictionary.value(forKey: "digest", keys)?.string { try found(digest, dictionary) }
        }
    }

    private static func hasBlob(_ root: Value, _ keys: SharedKeys) -> Bool {
        var hasBlob = false
        root.forEachDictionary { dictionary in
            hasBlob = isBlob(dictionary, keys)
            return !hasBlob
        }
        return hasBlob
    }

    private static func isBlob(_ dictionary: DictionaryView, _ keys: SharedKeys?) -> Bool {
        guard let type = dictionary.value(forKey: "@type", keys)?.stringBytes else { return false }
        return type.count == 4 && type.elementsEqual("blob".utf8)
    }

    /// `@type` cannot be a shared key, so a body that refers to a blob has these bytes somewhere.
    private static func mightHoldType(_ body: UnsafeRawBufferPointer) -> Bool { body.contains("@type") }
}
