package import Foundation

extension Bundle {
  /// Whether the process with this main bundle is an app extension: it has no page to show, and shares what its app keeps.
  package var isAppExtension: Bool {
    let declared = object(forInfoDictionaryKey: "NSExtension") as? [String: Any]
    return Self.isAppExtension(
      bundlePath: bundlePath, extensionPoint: declared?["NSExtensionPointIdentifier"] as? String)
  }

  /// Whether a main bundle is that of an app extension.
  ///
  /// The WatchKit extension of a watch app is none: where such an app has one, that is the process of the app.
  ///
  /// - Parameters:
  ///   - bundlePath: The path of the bundle.
  ///   - extensionPoint: The `NSExtensionPointIdentifier` of the bundle's `Info.plist`, if it has one.
  /// - Returns: Whether it is one.
  package static func isAppExtension(bundlePath: String, extensionPoint: String?) -> Bool {
    bundlePath.split(separator: "/").last?.hasSuffix(".appex") == true && extensionPoint != "com.apple.watchkit"
  }
}
