import CBLBase
import CBLWorkbench

/// What kind of content a file has, by the end of its name.
enum ContentType {
    private static let byExtension: [String: String] = [
        "avif": "image/avif", "bin": "application/octet-stream", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv",
        "doc": "application/msword", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic",
        "htm": "text/html", "html": "text/html", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript", "json": "application/json", "jsonl": "application/jsonl", "m4a": "audio/mp4", "md": "text/markdown",
        "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
        "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff",
        "ttf": "font/ttf", "txt": "text/plain", "vcf": "text/vcard", "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
        "webp": "image/webp", "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml", "yaml": "application/yaml",
        "yml": "application/yaml", "zip": "application/zip",
    ]

    static let unknown = "application/octet-stream"

    static func of(path: String) -> String {
        let name = PathText.name(path).unicodeScalars
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return unknown }
        return byExtension[String(name[name.index(after: dot)...]).lowercased()] ?? unknown
    }
}
