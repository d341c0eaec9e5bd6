// What servers have set, as whoever speaks with them encodes it.
extension Snapshot {
    package func storedCookies() throws -> [UInt8]? { try file.infoTable.get(StoredInfo.Key.cookies) }
}

extension Transaction {
    package func setStoredCookies(_ encoding: [UInt8]) throws { try file.infoTable.set(StoredInfo.Key.cookies, encoding) }
}
