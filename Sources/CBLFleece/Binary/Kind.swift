/// What a Fleece value is. `undefined` also stands for whatever damaged bytes turned out not to be.
@usableFromInline package enum Kind: UInt8, Sendable {
    case undefined, null, boolean, integer, double, string, data, array, dictionary
}
