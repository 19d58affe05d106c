import B2CTokenCache
import Foundation

/// Protected items over a file, and a person who agrees to each question; the questions of all processes are counted.
struct FileProtectedItems: ProtectedKeychainItems {
  private final class Question: KeychainAuthentication {
    func invalidate() {}
  }

  private let items: FileKeychain
  private let folder: URL

  init(_ folder: URL) {
    self.folder = folder
    items = FileKeychain(folder.appendingPathComponent("protected"))
  }

  let isOn = true

  func authentication() -> any KeychainAuthentication { Question() }

  func add(
    _ data: Data, account: String, in group: String, with authentication: (any KeychainAuthentication)?
  ) throws(ProtectedItemFailure) {
    do throws(KeychainStatus) {
      _ = try items.add(data, account: account, mark: "", in: group)
    } catch {
      throw .refused(error)
    }
  }

  func data(
    _ account: String, in group: String, with authentication: any KeychainAuthentication
  ) throws(ProtectedItemFailure) -> Data {
    do throws(KeychainStatus) {
      let data = try items.item(account, in: group).data
      // A file for each question, which no process writes over another's.
      let question = folder.appendingPathComponent("question-\(UUID().uuidString)").path
      guard FileManager.default.createFile(atPath: question, contents: nil) else { throw .notAvailable }
      return data
    } catch {
      throw error == .itemNotFound ? .gone : .refused(error)
    }
  }

  func remove(_ account: String, in group: String) throws(KeychainStatus) { try items.remove(account, in: group) }

  func accounts(in group: String) throws(KeychainStatus) -> [String] { try items.list(in: group).map(\.account) }

  /// The number of questions that all processes over a directory have asked.
  static func questions(in folder: URL) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("question-") }.count
  }
}
