internal import CBLBase
package import CBLStore
import Foundation

/// How a database is opened, and where it is.
public struct DatabaseConfiguration: Sendable {
    /// The folder that has the database's own folder. It is made if there is none.
    public var directory: String
    /// Whether each commit waits until it is safe from a loss of power. Without it the last ones may be lost then, none is half there.
    public var fullSync: Bool
    /// The key that a new database is encrypted with, or that an encrypted one has; nil for none.
    public var encryptionKey: EncryptionKey?

    /// The default: `CouchbaseLite` in `$XDG_DATA_HOME`, or in `~/.local/share`.
    public init() { self.init(config: nil) }

    /// A copy, or the default.
    public init(config: DatabaseConfiguration?) {
        directory = config?.directory ?? DatabaseConfiguration.defaultDirectory
        fullSync = config?.fullSync ?? DatabaseConfiguration.defaultFullSync
        encryptionKey = config?.encryptionKey
    }

    /// False: a loss of power may take the last commits, and never a part of one.
    public static let defaultFullSync = false

    static var defaultDirectory: String {
        // All of the environment is not needed for that, and takes longer to read than some files to open.
        func folder(_ name: String) -> String? { getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let data = folder("XDG_DATA_HOME") { return data + "/CouchbaseLite" }
        if let home = folder("HOME") { return home + "/.local/share/CouchbaseLite" }
        return FileManager.default.currentDirectoryPath
    }

    package func makeDirectory() throws {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw libraryError(CBLError.cantOpenFile, "The folder \(directory) cannot be made: \(error.localizedDescription)")
        }
    }

    /// Where a database of this name is. A slash would lead elsewhere.
    package func path(ofDatabase name: String) -> String { DatabaseConfiguration.path(ofDatabase: name, in: directory) }

    static func path(ofDatabase name: String, in directory: String) -> String {
        let file = name.replacingOccurrences(of: "/", with: ":") + ".cblite2"
        return directory.hasSuffix("/") ? directory + file : directory + "/" + file
    }

    package func options(_ access: CBLStore.Database.Options.Access) -> CBLStore.Database.Options {
        var options = CBLStore.Database.Options(access: access, upgrade: access == .readOnly ? .none : .versionVectors)
        options.durability = fullSync ? .full : .normal
        options.keepsStates = true
        options.key = encryptionKey?.core
        return options
    }
}

/// The key of an encrypted database.
public class EncryptionKey: @unchecked Sendable {
    let core: CBLStore.EncryptionKey

    init(_ core: CBLStore.EncryptionKey) { self.core = core }

    /// A key of 32 bytes, as it is. Another length ends the program.
    public static func key(_ key: Data) -> EncryptionKey {
        guard key.count == 32, let core = key.withUnsafeBytes({ CBLStore.EncryptionKey($0) }) else {
            programmerError(.invalidArgument, "A key has 32 bytes, not \(key.count).")
        }
        return EncryptionKey(core)
    }

    /// The key that is made of a password, which takes a moment on purpose.
    public static func password(_ password: String) -> EncryptionKey { EncryptionKey(CBLStore.EncryptionKey(password: password)) }
}
