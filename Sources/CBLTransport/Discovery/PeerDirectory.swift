/// Where peers are told of, and found: the local network by way of Avahi, or a model of one.
package protocol PeerDirectory: AnyObject, Sendable {
    /// Tells others of nothing any more, and its observer neither. Not to be called by the observer.
    func stop()
}

/// What is to be told to others, and whether others are looked for.
package struct PeerWishes: Sendable {
    package struct Advertisement: Sendable {
        /// For people. Another one is taken if it is taken.
        package var name: String
        package var port: UInt16
        package var announcement: PeerAnnouncement
        /// The network interface on which it is told; nil for all of them.
        package var interface: String?

        package init(name: String, port: UInt16, announcement: PeerAnnouncement, interface: String? = nil) {
            self.name = name
            self.port = port
            self.announcement = announcement
            self.interface = interface
        }
    }

    package var advertisement: Advertisement?
    package var browses: Bool

    package init(_ advertisement: Advertisement? = nil, browses: Bool = false) {
        self.advertisement = advertisement
        self.browses = browses
    }
}

package enum PeerDirectoryEvent: Sendable {
    /// It is there, or says something else of itself than before.
    case found(FoundPeer)
    case lost(FoundPeer.Service)
    /// Whatever is there has been found, most likely.
    case complete
    /// Others can see it, under this name.
    case advertised(String)
    /// It goes on when it can, if it can.
    case failed(DiscoveryError)
}

/// Why peers can be neither told of nor found.
package typealias DiscoveryError = AdvisedError<DiscoveryProblem>

package enum DiscoveryProblem: Hashable, Sendable {
    /// The library is not installed.
    case noLibrary
    /// Nobody is there to talk to.
    case noDaemon
    /// It was there, and is not any more.
    case lostDaemon
    case other
}
