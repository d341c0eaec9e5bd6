internal import CBLStore
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database
import class CouchbaseLiteSwift.Document

extension Collection {
    /// Has each revision of the collection looked at before it is stored: what this database object saves, deletes, pulls, or is pushed by a peer. A
    /// save that is rejected throws `httpForbidden`; of a document that comes from elsewhere, this is the error that the document listener of the
    /// replicator hears, here or at the peer, and the others come. Nil takes a validation away. Purging, and what other database objects and processes do, is not looked at.
    public func setValidation(_ name: String, _ validation: Validation?) { validations.set(name, self, validation) }

    /// The validation that the program has set by a name; nil if there is none, or it is a schema.
    public func validation(named name: String) -> Validation? { validations[name, coreName] }

    var validations: Validations { database.companions.get { Validations() } }
}
