/// The containers of sandboxed apps, on systems where each app lives in containers.
///
/// A sandboxed process may not look at the directories above a container, and no other user can reach into one.
package struct AppContainers: Sendable {
  /// The app's own container, the home directory of its processes.
  private let home: [Substring]

  package init(home: String) {
    self.home = Array(Self.plain(home.split(separator: "/")))
  }

  /// Returns how many parts of a path lead to the container that holds it; 0 when it is in none.
  ///
  /// A group's container is the directory below `Shared/AppGroup`: on a device and in the simulator alike.
  package func depth(of parts: [Substring]) -> Int {
    let plain = Self.plain(parts)
    if !home.isEmpty, plain.starts(with: home) { return plain.startIndex + home.count }
    guard let group = plain.firstIndex(of: "AppGroup"), plain[..<group].last == "Shared", group + 1 < parts.count
    else { return 0 }
    return group + 2
  }

  /// The parts of a path without `/private`: `/var` is a link into it, and both names are in use.
  private static func plain(_ parts: [Substring]) -> ArraySlice<Substring> {
    parts.first == "private" ? parts.dropFirst() : parts[...]
  }
}
