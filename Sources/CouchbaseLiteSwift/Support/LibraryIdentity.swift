/// Who we say we are, to peers and at the top of logs.
enum LibraryIdentity {
    /// The generation of the interface that programs see.
    static let version = "4.0"

    /// In the vendor's form, which people and tools look for. There are no numbered builds of this library.
    static let userAgent = "CouchbaseLite/\(version) (Swift; \(ProcessInfo.processInfo.operatingSystemVersionString)) Build/0 Commit/none"
}
