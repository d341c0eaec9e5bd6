// swift-tools-version: 6.0
import PackageDescription

// A target may import only what stands below it: the list is ordered from the bottom up, and the compiler holds the rule.

let fast: [SwiftSetting] = [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: fast)
}

func system(_ name: String, apt package: String) -> Target {
    .systemLibrary(name: name, providers: [.apt([package])])
}

let package = Package(
    name: "cblite",
    products: [.executable(name: "cblite", targets: ["cblite"])],
    targets: [
        system("CSQLite", apt: "libsqlite3-dev"),
        system("CICU", apt: "libicu-dev"),
        system("CStemmer", apt: "libstemmer-dev"),
        system("CNettle", apt: "nettle-dev"),
        system("CLibEdit", apt: "libedit-dev"),
        system("CZlib", apt: "zlib1g-dev"),
        system("CGnuTLS", apt: "libgnutls28-dev"),
        system("CCurl", apt: "libcurl4-gnutls-dev"),
        // The kernel's own: the language's library leaves it out.
        .systemLibrary(name: "CEpoll"),

        library("Platform", ["CNettle"]),
        library("Fleece", []),
        library("BLIP", ["Platform", "CZlib"]),
        library("Transport", ["Fleece", "Platform", "CCurl", "CGnuTLS", "CEpoll"]),
        library("SQLite", ["CSQLite"]),
        library("SQLFunctions", ["Fleece", "SQLite", "CSQLite", "CICU", "CStemmer"]),
        library("DocumentStore", ["Fleece", "SQLite", "SQLFunctions", "Platform"]),
        library("SQLPlusPlus", ["Fleece"]),
        library("QueryEngine", ["SQLPlusPlus", "DocumentStore", "SQLFunctions", "SQLite", "Fleece", "Platform", "CSQLite"]),
        library("Replication", ["BLIP", "Transport", "DocumentStore", "Fleece", "Platform"]),
        library("Listener", ["Replication", "BLIP", "Transport", "DocumentStore", "Fleece", "Platform"]),
        library(
            "Shell",
            [
                "QueryEngine", "SQLPlusPlus", "Listener", "Replication", "Transport", "DocumentStore", "SQLite", "Fleece", "Platform",
                "CLibEdit",
            ]),
        .executableTarget(name: "cblite", dependencies: ["Shell"], swiftSettings: fast),
        .executableTarget(name: "bench", path: "Benchmarks/Runner"),
        .executableTarget(name: "bench-blip", dependencies: ["BLIP"], path: "Benchmarks/BLIP", swiftSettings: fast),
        .executableTarget(
            name: "bench-sync", dependencies: ["Replication", "Transport", "DocumentStore", "Fleece"], path: "Benchmarks/Sync",
            swiftSettings: fast),

        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .target(
            name: "ReplicationTestSupport", dependencies: ["Replication", "BLIP", "Transport", "DocumentStore", "Fleece"],
            path: "Tests/ReplicationTestSupport"),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
        .testTarget(name: "FleeceTests", dependencies: ["Fleece", "TestSupport"]),
        .testTarget(name: "BLIPTests", dependencies: ["BLIP", "Platform", "TestSupport"]),
        .testTarget(name: "TransportTests", dependencies: ["Transport", "Fleece", "Platform", "TestSupport"]),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"]),
        .testTarget(name: "SQLFunctionsTests", dependencies: ["SQLFunctions", "DocumentStore", "SQLite", "Fleece", "TestSupport"]),
        .testTarget(name: "DocumentStoreTests", dependencies: ["DocumentStore", "SQLite", "Fleece", "Platform", "TestSupport"]),
        .testTarget(
            name: "SQLPlusPlusTests", dependencies: ["SQLPlusPlus", "DocumentStore", "SQLFunctions", "SQLite", "Fleece", "TestSupport"]),
        .testTarget(
            name: "QueryEngineTests",
            dependencies: [
                "QueryEngine", "SQLPlusPlus", "DocumentStore", "SQLFunctions", "SQLite", "Fleece", "Platform", "cblite", "TestSupport",
            ]),
        .testTarget(
            name: "ReplicationTests",
            dependencies: [
                "Replication", "BLIP", "Transport", "DocumentStore", "SQLite", "Fleece", "Platform", "TestSupport",
                "ReplicationTestSupport",
            ],
            exclude: ["Recordings"]),
        .testTarget(
            name: "ListenerTests",
            dependencies: [
                "Listener", "Replication", "BLIP", "Transport", "DocumentStore", "SQLite", "Fleece", "Platform", "TestSupport",
                "ReplicationTestSupport",
            ]),
        .testTarget(
            name: "ShellTests",
            dependencies: ["Shell", "Replication", "QueryEngine", "SQLPlusPlus", "DocumentStore", "Fleece", "TestSupport"]),
        .testTarget(
            name: "CommandTests",
            dependencies: ["cblite", "Replication", "BLIP", "Transport", "DocumentStore", "TestSupport", "ReplicationTestSupport"],
            exclude: ["Screens"]),
    ],
    swiftLanguageModes: [.v6]
)
