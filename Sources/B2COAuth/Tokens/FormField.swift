internal import B2CCore
internal import Foundation

/// One field of a form.
struct FormField: Hashable, Sendable {
  let name: String
  let value: String
}
