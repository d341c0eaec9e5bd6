import Testing

/// What becomes of databases when disks and power fail. One after another: what watches the files of this process is there once.
@Suite(.serialized) struct ReliabilityTests {}
