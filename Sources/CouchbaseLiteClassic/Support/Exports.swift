// Code for this module is code for the library below it.
@_exported import CouchbaseLiteSwift
