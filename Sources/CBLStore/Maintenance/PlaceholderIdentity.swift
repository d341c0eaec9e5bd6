import CBLBase

extension Database {
    /// Gives the database an identity of its own if it has the one with these digits, which many copies of it have. True if it had that.
    package func replaceIdentity(_ placeholder: String) throws -> Bool {
        let digits = placeholder.lowercased().filter { $0 != "-" }
        return try write { transaction in
            guard transaction.publicUUID?.hexadecimal == digits else { return false }
            try transaction.setIdentity(publicUUID: UniqueID(), privateUUID: UniqueID())
            return true
        }
    }
}
