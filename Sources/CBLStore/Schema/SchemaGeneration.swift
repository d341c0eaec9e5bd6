/// The generation of a file's schema: its `user_version`. Files are read and written as what they are; only an upgrade asked for changes it.
package struct SchemaGeneration: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let oldest = SchemaGeneration(rawValue: 201)
    package static let newest = SchemaGeneration(rawValue: 503)
    /// Nothing above is promised to be readable; unknown ones below are, since a third digit is no break.
    static let ceiling = SchemaGeneration(rawValue: 599)

    package static func < (left: SchemaGeneration, right: SchemaGeneration) -> Bool { left.rawValue < right.rawValue }

    /// A file of 1.x, which has other tables: see `Version1Schema`.
    package var isVersion1: Bool { Version1Schema.userVersions.contains(rawValue) }
    /// `kvmeta` counts purges.
    package var countsPurges: Bool { rawValue >= 302 }
    /// The current body stands apart from the revision tree, which is in `extra`.
    var separatesBodies: Bool { rawValue >= 400 }
    /// Collections other than the default one, tombstones in a table of their own, capitals in table names escaped.
    var hasCollections: Bool { rawValue >= 500 }
    /// Revision trees have a separator behind the remotes, which releases before 3.2 do not accept.
    var readsSeparators: Bool { rawValue >= 501 }
    /// Every key store can hold an expiration, not only collections.
    var expiresEverywhere: Bool { rawValue >= 502 }

    /// The releases that write it.
    package var releases: String {
        switch rawValue {
        case ..<17: "1.0"
        case ..<101: "1.1"
        case 101: "1.1 or 1.2"
        case 102..<150: "1.3 or 1.4"
        case 201..<301: "2.0–2.6"
        case 301: "2.5 or 2.6"
        case 302..<400: "2.7 or 2.8"
        case 400..<500: "3.0"
        case 500: "3.1"
        case 501: "3.2.0"
        case 502: "3.2.1"
        case 503: "3.2.2–4.1"
        default: "unknown"
        }
    }

    package var description: String { "\(rawValue) (\(releases))" }
}

/// How a database names the revisions of its documents, and where it keeps them.
package enum Versioning: Int, Sendable {
    /// Revision trees, with all bodies, in column `body`.
    case treesInBody = 0
    /// Revision trees in column `extra`.
    case trees = 1
    case vectors = 2
}
