internal import CBLFleece
internal import CBLViews
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Document

/// The rows that a view query gave. They stay as they are.
public struct ViewResult: RandomAccessCollection, Sendable {
    private final class Memory: Sendable {
        let rows: RowMemory
        init(_ rows: RowMemory) { self.rows = rows }
    }

    private let memory: Memory

    init(_ rows: RowMemory) { memory = Memory(rows) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { memory.rows.list.count }
    /// A row by its number.
    public subscript(index: Int) -> ViewQueryRow { ViewQueryRow(result: self, number: index) }

    /// How many rows the view's index had.
    public var totalRows: Int { memory.rows.totalRows }
    /// The sequence of the collection up to which documents were in the index.
    public var lastSequence: UInt64 { memory.rows.lastSequence }

    var rows: RowMemory { memory.rows }
}

/// A row of a view query.
public struct ViewQueryRow: Sendable {
    let result: ViewResult
    let number: Int

    private var rows: RowMemory { result.rows }

    /// The key, or the beginning of it that is the same for a group; null for the one row that all were reduced to.
    public var key: Fragment { fragment { key, _ in key } }

    /// The value, which may be missing. If the map function emitted the document itself, it is that, with `_id` and `_rev`.
    public var value: Fragment { fragment { _, value in value } }

    /// The key as JSON.
    public var keyJSON: String { rows.list.withRow(number) { key, _ in key.json() } }

    /// The value as JSON; nil if it is missing.
    public var valueJSON: String? { rows.list.withRow(number) { $1.isUndefined ? nil : $1.json() } }

    /// The document that emitted the row; nil for a row that others were reduced to.
    public var documentID: String? {
        let id = rows.list.documentID(number)
        return id.isEmpty ? nil : id
    }

    /// That of the document when it was indexed.
    public var sequence: UInt64 { rows.list.sequence(number) }

    /// The document that goes with the row: the one whose ID is in the value as `_id`, or the one that emitted the row. Nil if it is gone, and for a row that
    /// others were reduced to. Without `prefetch` it is read now.
    public var document: Document? {
        if !rows.documents.isEmpty { return rows.documents[number] }
        do { return try rows.document(number) } catch {
            log(.query, .warning, "The document of a row of a view cannot be read: \(error.localizedDescription)")
            return nil
        }
    }

    private func fragment(_ part: (Value, Value) -> Value) -> Fragment {
        let data = rows.list.withRow(number) { key, value in try? wrapped(part(key, value)) }
        return Fragment(wrapped: data ?? .emptyArray, database: rows.collection.database)
    }

    private var find: RowMemory.Find? { rows.finds.isEmpty ? nil : rows.finds[number] }

    // Full text

    /// The text that was found, in a full-text query; nil in others.
    public var fullText: String? { find?.match?.text }

    /// How well the text matches, in a full-text query; 0 in others.
    public var rank: Double { find?.match?.rank ?? 0 }

    /// Where words of the query are in the text; none if it is no full-text query.
    public var matches: [FullTextPlace] {
        guard let match = find?.match else { return [] }
        return match.places.map { place in
            let bytes = match.text.utf8
            let start = bytes.index(bytes.startIndex, offsetBy: place.range.lowerBound, limitedBy: bytes.endIndex) ?? bytes.endIndex
            let end = bytes.index(bytes.startIndex, offsetBy: place.range.upperBound, limitedBy: bytes.endIndex) ?? bytes.endIndex
            return FullTextPlace(term: place.term, range: start..<end)
        }
    }

    /// A part of the text with marks around what matches; nil if the query was told to do without.
    public func snippet(before: String = "[", after: String = "]") -> String? { find?.match?.snippet(before: before, after: after) }

    // Shapes

    /// The smallest box around the shape, in a query with a box; nil in others.
    public var boundingBox: ViewBox? { find?.box }

    /// The shape as GeoJSON, in a query with a box; nothing in others.
    public var geometry: Fragment { Fragment(wrapped: find?.shape ?? .emptyArray, database: rows.collection.database) }
}

/// Where a word of a full-text query is in a text.
public struct FullTextPlace: Hashable, Sendable {
    /// Which word of the query it is, from 0.
    public let term: Int
    /// Where it is in ``ViewQueryRow/fullText``.
    public let range: Range<String.Index>
}
