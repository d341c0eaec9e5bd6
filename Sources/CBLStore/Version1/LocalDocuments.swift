/// Documents that are never replicated: `_local/…` of 1.x. Its successors have no name for them; here they are a key store of the file, which the
/// vendor's programs leave alone. The keys are without `_local/`, the bodies JSON texts, and `meta` is the revision as text, `3-local`.
package enum LocalDocuments {
    package static let keyStore = "_local"
}
