import CBLFleece

/// The shapes of the documents of a collection, by kind: the value of a property such as `type` that says what a document is.
package struct ShapeSurvey: Sendable {
    package enum Kind: Hashable, Sendable {
        case named(String)
        /// Documents without the property, or with something else than text in it.
        case none
        /// Documents of kinds that there was no more room for.
        case others
    }

    /// The property that tells kinds apart; nil if all documents are taken together.
    package let discriminator: String?
    private var tallies: [(kind: Kind, name: [UInt8], tally: ShapeTally)] = []
    private var last = 0
    private let key: [UInt8]

    /// More kinds than this are put together.
    static let mostKinds = 100

    package init(by discriminator: String? = nil) {
        self.discriminator = discriminator
        key = Array((discriminator ?? "").utf8)
    }

    @discardableResult
    package mutating func add(_ document: Value, byteCount: Int, _ keys: SharedKeys) -> Bool {
        let place = place(of: document, keys)
        return tallies[place].tally.add(document, byteCount: byteCount, keys)
    }

    private mutating func place(of document: Value, _ keys: SharedKeys) -> Int {
        guard discriminator != nil else { return place(of: .none, named: []) }
        let value = key.withUnsafeBytes { document.dictionary?.value(forKey: $0, keys) }
        guard let name = value?.stringBytes, name.count <= DistinctSketch.longestText else { return place(of: .none, named: []) }
        if last < tallies.count, tallies[last].kind != .none, name.elementsEqual(tallies[last].name) { return last }
        if let known = tallies.firstIndex(where: { $0.kind != .none && $0.kind != .others && name.elementsEqual($0.name) }) {
            last = known
            return known
        }
        guard tallies.count < ShapeSurvey.mostKinds else { return place(of: .others, named: []) }
        return place(of: .named(String(decoding: name, as: UTF8.self)), named: Array(name))
    }

    private mutating func place(of kind: Kind, named name: [UInt8]) -> Int {
        if let known = tallies.firstIndex(where: { $0.kind == kind }) { return known }
        tallies.append((kind, name, ShapeTally()))
        return tallies.count - 1
    }

    package mutating func merge(_ other: ShapeSurvey) {
        for (kind, name, tally) in other.tallies {
            let isNew = !tallies.contains { $0.kind == kind }
            let target = isNew && tallies.count > ShapeSurvey.mostKinds ? Kind.others : kind
            tallies[place(of: target, named: name)].tally.merge(tally)
        }
    }

    package var documents: Int { tallies.reduce(0) { $0 + $1.tally.documents } }
    package var damaged: Int { tallies.reduce(0) { $0 + $1.tally.damaged } }

    /// The most frequent kind first; documents without one last.
    package var shapes: [(kind: Kind, shape: Shape)] {
        tallies.map { ($0.kind, $0.tally.shape) }.sorted { one, other in
            if one.0.rank != other.0.rank { return one.0.rank < other.0.rank }
            return one.1.documents != other.1.documents ? one.1.documents > other.1.documents : one.0.name < other.0.name
        }
    }

    /// All documents together.
    package var whole: ShapeTally {
        var whole = ShapeTally()
        for (_, _, tally) in tallies { whole.merge(tally) }
        return whole
    }
}

extension ShapeSurvey.Kind {
    fileprivate var rank: Int {
        switch self {
        case .named: 0
        case .none: 1
        case .others: 2
        }
    }

    package var name: String { if case .named(let name) = self { name } else { "" } }
}

extension ShapeSurvey {
    /// Names that apps give to the property that says what a document is.
    package static let usualDiscriminators = ["type", "_type", "docType", "doc_type", "documentType", "kind", "table"]

    // So many kinds at most are clear enough to be told without being asked.
    private static let fewKinds = 24

    /// Whether the documents clearly fall into kinds by this property: nearly all have one of a few short texts there, and what else they have
    /// goes with it.
    package var isClear: Bool {
        let kinds = tallies.filter { if case .named = $0.kind { true } else { false } }
        let counted = kinds.reduce(0) { $0 + $1.tally.documents }
        guard (2...ShapeSurvey.fewKinds).contains(kinds.count), counted * 100 >= documents * 95, documents >= 4 * kinds.count,
            kinds.allSatisfy({ $0.name.count <= 48 })
        else { return false }
        var names: [[UInt8]: (rarely: Bool, often: Bool)] = [:]
        let shares = kinds.map { $0.tally.shares }
        for name in shares.flatMap(\.keys) {
            let all = shares.map { $0[name] ?? 0 }
            names[name] = (all.contains { $0 <= 0.05 }, all.contains { $0 >= 0.5 })
        }
        let telling = names.values.count { $0.rarely && $0.often }
        return telling * 5 >= names.count && telling > 0
    }
}

extension ShapeTally {
    /// How many of the documents have each of their properties.
    fileprivate var shares: [[UInt8]: Double] {
        var shares: [[UInt8]: Double] = [:]
        var child = places[0].firstChild
        while child > 0 {
            shares[places[child].name.bytes] = Double(places[child].facts.count) / Double(max(1, documents))
            child = places[child].next
        }
        return shares
    }
}
