import B2CCore

/// The values that a template expects the developer to replace.
enum Placeholder {
  /// The words of which every text that the pattern finds contains one, unless it contains one of the characters below.
  private static let starts = ["your", "enter", "insert", "replace", "todo", "tbd", "xxx", "...", "change", "00000000"]

  private static let template = Pattern(
    #/
    < (?! .* </ ) [\p{L}_\ ] [^<]* > | \{ [\p{L}_\ ] .* \} | \$\( | %@ | (?-i: \b YOUR_ ) | ^ \[ [\p{L}_\ ] .* \] $
    | ^ (?: enter | insert | replace ) [\ _] | ^ your [\ _\-]
    | your [\-_\ ]? (?: (?: b2c [\-_\ ]? )? tenant | (?: client | app (?: lication )? | bundle ) [\-_\ ]? id )
    | your [\-_\ ]? (?: policy | domain | redirect )
    | ^ (?: todo | tbd | xxx | \.\.\. | (?: change | replace ) [_\-]? me ) $
    | ^ (?: 0{8} (?: -0{4} ){3} -0{12} | x{8} (?: -x{4} ){3} -x{12} ) $
    /#
    .ignoresCase())

  static let message = "The value is still a template's placeholder."

  /// Returns whether a value is or contains a placeholder.
  ///
  /// No valid setting contains `<…>`, `{…}` or a build variable. Only a GUID in braces is reported differently, because
  /// the developer should remove the braces.
  static func isPlaceholder(_ text: String) -> Bool {
    // A placeholder is short, and the time for the search grows with the square of the length.
    let start = text.trimmed.prefix(200)
    // Nearly every value returns here, before the pattern is compiled, which takes milliseconds.
    guard start.contains(where: "<{[$%".contains) || starts.contains(where: start.lowercased().contains) else {
      return false
    }
    let bare = start.filter { !"{}<>[]".contains($0) }
    return start.firstMatch(of: template) != nil && !(GUID.isGUID(bare) && bare.contains { !"0-".contains($0) })
  }
}
