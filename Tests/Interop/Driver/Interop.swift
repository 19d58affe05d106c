import Foundation

/// Runs the SDK against a provider, or the local tenant for foreign clients.
///
/// `interop tour <scene.json>` does the first, `interop serve` the second; `Tests/Interop/run` starts both.
@main
struct Interop {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    do {
      switch (arguments.first, arguments.dropFirst().first) {
      case ("tour", let path?):
        let scene = try JSONDecoder().decode(Scene.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        exit(try await Tour(scene).run() ? 0 : 1)
      case ("serve", nil):
        try await ServedTenants.run()
      default:
        FileHandle.standardError.write(Data("usage: interop tour <scene.json> | serve\n".utf8))
        exit(64)
      }
    } catch {
      FileHandle.standardError.write(Data("interop: \(error)\n".utf8))
      exit(2)
    }
  }
}

/// Writes a line that a reader at the other end of a pipe sees immediately.
func emit(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
