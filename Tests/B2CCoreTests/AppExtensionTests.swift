import B2CCore
import Foundation
import Testing

/// In an app extension no refresh token is sent.
@Suite struct AppExtensionTests {
  private static let watch = "/private/var/containers/Bundle/Application/0A/Watch.app/PlugIns/Extension.appex"

  @Test(
    "An extension is known by its bundle, except for that of a watch app, which watchOS 9 still runs as the app",
    arguments: [
      ("/var/containers/Bundle/Application/0A/Tasks.app/PlugIns/Share.appex", nil, true),
      ("/private/var/containers/Bundle/Application/0A/Tasks.app/Extensions/Widget.appex/", nil, true),
      ("/Applications/Tasks.app/Contents/PlugIns/Share.appex", nil, true), ("/Applications/Tasks.app", nil, false),
      ("/Applications/My.appex.app", nil, false), ("/Users/me/Share.appex/Build/tool", nil, false), ("/", nil, false),
      ("", nil, false), (watch, nil, true), (watch, "com.apple.widgetkit-extension", true),
      (watch, "com.apple.watchkit", false), ("/Watch.app", "com.apple.watchkit", false),
    ] as [(String, String?, Bool)])
  func isExtension(path: String, point: String?, expected: Bool) {
    #expect(Bundle.isAppExtension(bundlePath: path, extensionPoint: point) == expected)
  }
}
