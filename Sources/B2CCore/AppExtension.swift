package import Foundation

/// The kind of a process, by its main bundle.
package enum AppExtension {
  /// Whether a process is an app extension: it has no page to show, and shares what its app keeps.
  ///
  /// The WatchKit extension of a watch app is none: where such an app has one, that is the process of the app.
  ///
  /// - Parameters:
  ///   - bundlePath: The path of its main bundle.
  ///   - extensionPoint: The `NSExtensionPointIdentifier` of that bundle's `Info.plist`, if it has one.
  /// - Returns: Whether it is one.
  package static func isExtension(bundlePath: String, extensionPoint: String?) -> Bool {
    bundlePath.split(separator: "/").last?.hasSuffix(".appex") == true && extensionPoint != "com.apple.watchkit"
  }
}

extension Bundle {
  /// Whether the process with this main bundle is an app extension.
  package var isAppExtension: Bool {
    let declared = object(forInfoDictionaryKey: "NSExtension") as? [String: Any]
    return AppExtension.isExtension(
      bundlePath: bundlePath, extensionPoint: declared?["NSExtensionPointIdentifier"] as? String)
  }
}
