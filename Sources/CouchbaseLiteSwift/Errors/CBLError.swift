/// The domain and the codes of the errors that this library throws. Every one of them is an `NSError`.
///
///     do { try collection.save(document: document) }
///     catch let error as NSError where error.domain == CBLError.domain && error.code == CBLError.conflict { … }
public struct CBLError {
    private init() {}

    /// The domain of all codes below. Other domains are `NSPOSIXErrorDomain` and, for what SQLite refuses in a query, `CouchbaseLite.SQLite`.
    public static let domain = "CouchbaseLite"

    // The library.
    /// Something that cannot be was met. This library does not throw it itself: a peer may send it.
    public static let assertionFailed = 1
    /// Something is not written yet. This library says `unsupported` instead.
    public static let unimplemented = 2
    /// The kind of encryption is not known. This library says `unreadableDatabase` instead.
    public static let unsupportedEncryption = 3
    /// A revision ID that cannot be one, from a peer or in a damaged file.
    public static let badRevisionID = 4
    /// A stored revision cannot be read. This library says `corruptData` instead.
    public static let corruptRevisionData = 5
    /// The database was closed, or the collection deleted.
    public static let notOpen = 6
    /// There is no such document, index or collection. To delete or purge a document that was never saved is this, too.
    public static let notFound = 7
    /// The document was changed by somebody else, or a conflict was resolved with a document of elsewhere.
    public static let conflict = 8
    /// An argument that makes no sense here: a bad name, or a document of another collection.
    public static let invalidParameter = 9
    /// What has no better code. An error that the block of `inBatch` has thrown comes out as this one, with its message.
    public static let unexpectedError = 10
    /// The folder of a database cannot be made or opened.
    public static let cantOpenFile = 11
    /// The disk is full, or cannot be read or written.
    public static let ioError = 12
    /// There was not enough memory. On this system the program ends before anybody could say so.
    public static let memoryError = 13
    /// The file, its folder or its disk is read-only.
    public static let notWriteable = 14
    /// The file is damaged.
    public static let corruptData = 15
    /// Somebody else holds a lock for too long, or the database is in use where it must not be.
    public static let busy = 16
    /// Something was done outside of a transaction that needs one.
    public static let notInTransaction = 17
    /// Inside `inBatch` the database can neither be closed nor deleted.
    public static let transactionNotClosed = 18
    /// This version cannot do it; the message says what.
    public static let unsupported = 19
    /// It is no database, or it is encrypted and the key is missing or wrong.
    public static let unreadableDatabase = 20
    /// The file is something else than was expected. This library says `unreadableDatabase` instead.
    public static let wrongFormat = 21
    /// A key, a certificate or an identity cannot be read, made or stored.
    public static let crypto = 22
    /// The query cannot be understood; the message says why. Rows that do not fit the type they are decoded as are this, too.
    public static let invalidQuery = 23
    /// The query needs an index that is not there: `MATCH()` needs a full-text one.
    public static let missingIndex = 24
    /// The query was given a parameter that it does not have.
    public static let invalidQueryParam = 25
    /// The other side of a replication does not keep to the protocol, or has failed.
    public static let remoteError = 26
    /// The file was written by a version that is too old to be read.
    public static let databaseTooOld = 27
    /// The file was written by a later version, whose format is not known.
    public static let databaseTooNew = 28
    /// A document ID must have 1 to 240 bytes, no control characters, and not begin with `_`.
    public static let badDocID = 29
    /// The file could not be brought to the newest format.
    public static let cantUpgradeDatabase = 30

    // The network.
    /// Failures of the network have codes from here on.
    public static let networkBase = 5000
    /// The host's name could not be looked up.
    public static let dnsFailure = 5001
    /// There is no host of that name.
    public static let unknownHost = 5002
    /// The other side did not answer in time.
    public static let timeout = 5003
    /// The URL cannot be used.
    public static let invalidURL = 5004
    /// The server has sent the replicator elsewhere too often.
    public static let tooManyRedirects = 5005
    /// TLS could not be agreed upon; the message says why.
    public static let tlsHandshakeFailed = 5006
    /// The server's certificate has expired.
    public static let tlsCertExpired = 5007
    /// The server's certificate is for another host, was revoked, or is not trusted for another reason.
    public static let tlsCertUntrusted = 5008
    /// The server wants a certificate: give a `ClientCertificateAuthenticator`.
    public static let tlsClientCertRequired = 5009
    /// The server did not accept the certificate that it was shown.
    public static let tlsClientCertRejected = 5010
    /// The server's certificate was signed by nobody who is trusted here: pin it, or accept those that sign for themselves.
    public static let tlsCertUnknownRoot = 5011
    /// The server has sent the replicator to a URL that cannot be used.
    public static let invalidRedirect = 5012
    /// There is no network interface of the name that the configuration has.
    public static let unknownInterface = 5027

    // HTTP, as 10000 and the status.
    /// A status of HTTP is this number and the status: 404 is 10404.
    public static let httpBase = 10000
    /// 401: there is no authenticator, or what it says was refused. A replicator does not try again.
    public static let httpAuthRequired = 10401
    /// 403: the user may not do that. For one document: the server's rules have refused it.
    public static let httpForbidden = 10403
    /// 404: there is no such database or collection at the server.
    public static let httpNotFound = 10404
    /// 409: the document was changed there meanwhile. It is solved by pulling.
    public static let httpConflict = 10409
    /// 407: a proxy on the way wants a name and a password.
    public static let httpProxyAuthRequired = 10407
    /// 413: a document or blob is larger than the server takes.
    public static let httpEntityTooLarge = 10413
    /// 418: the server is a teapot.
    public static let httpImATeapot = 10418
    /// 500: the server has failed.
    public static let httpInternalServerError = 10500
    /// 501: the server cannot do what is asked.
    public static let httpNotImplemented = 10501
    /// 503: the server is overloaded, or being restarted. A replicator tries again.
    public static let httpServiceUnavailable = 10503

    // WebSocket, as 10000 and the code of closing.
    /// The code with which a WebSocket is closed is this number and the code less 1000: 1001 is 11001.
    public static let webSocketBase = 11000
    /// 1001: the other side is shutting down. A replicator tries again.
    public static let webSocketGoingAway = 11001
    /// 1002: the other side has met what the protocol does not allow.
    public static let webSocketProtocolError = 11002
    /// 1003: the other side does not take this kind of data.
    public static let webSocketDataError = 11003
    /// 1006: the connection was lost without a farewell. A replicator tries again.
    public static let webSocketAbnormalClose = 11006
    /// 1007: a message is not what it says it is.
    public static let webSocketBadMessageFormat = 11007
    /// 1008: a message is against the other side's rules.
    public static let webSocketPolicyError = 11008
    /// 1009: a message is larger than the other side takes.
    public static let webSocketMessageTooBig = 11009
    /// 1010: the server does not have an extension of the protocol.
    public static let webSocketMissingExtension = 11010
    /// 1011: the other side has failed in a way that it did not expect.
    public static let webSocketCantFulfill = 11011
    /// 4001: a connection of the program was closed, and is worth another attempt.
    public static let webSocketCloseUserTransient = 14001
    /// 4002: a connection of the program was closed for good.
    public static let webSocketCloseUserPermanent = 14002

    // Values and types.
    /// A text is not JSON, or not a JSON object or array where one is needed.
    public static let invalidJSON = 17001
    /// An object cannot be made of a document or a row.
    public static let decodingError = 18001
    /// An object cannot be written as a document.
    public static let encodingError = 18002
}
