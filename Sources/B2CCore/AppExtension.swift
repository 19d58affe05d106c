/// The kind of a process, by its main bundle.
package enum AppExtension {
  /// Whether a process with this main bundle is an app extension: it has no page to show, and shares what its app keeps.
  package static func isExtension(bundlePath: String) -> Bool {
    bundlePath.split(separator: "/").last?.hasSuffix(".appex") == true
  }
}
