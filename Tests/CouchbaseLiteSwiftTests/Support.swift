// Every test has a database of its own.
@_exported import CouchbaseLiteTestSupport
