package import B2CTestKit
import Foundation

extension LocalFault {
  /// Puts another value for a parameter into the tenant's callbacks, or leaves it out.
  package static func callback(_ name: String, _ value: String?) -> LocalFault {
    LocalFault(
      on: .authorize,
      .change { response in
        guard var callback = response.headers["Location"].flatMap({ URLComponents(string: $0) }) else { return }
        callback.queryItems?.removeAll { $0.name == name }
        if let value { callback.queryItems?.append(URLQueryItem(name: name, value: value)) }
        response.headers["Location"] = callback.string
      })
  }
}
