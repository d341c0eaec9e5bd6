// swift-tools-version: 6.0
import PackageDescription

// An app of yours names the library by URL and version. Here it lies two folders up; `CBLITE_URL` names another place.
let library: Package.Dependency =
    if let url = Context.environment["CBLITE_URL"] { .package(url: url, from: "0.1.0") } else { .package(name: "cblite", path: "../..") }

let package = Package(
    name: "sensor-logger",
    dependencies: [library],
    targets: [
        .executableTarget(name: "sensor-logger", dependencies: [.product(name: "CouchbaseLiteSwift", package: "cblite")], path: "Sources")
    ]
)
