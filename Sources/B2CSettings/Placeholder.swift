import B2CCore

/// Values that a template left to be filled in.
enum Placeholder {
  /// Every text that the expression finds contains one of these words or a sign.
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
  /// No setting contains `<…>`, `{…}` or a build variable; a GUID in braces is one that is to be written without them.
  static func isPlaceholder(_ text: String) -> Bool {
    // A placeholder is short, and the search takes the square of the length.
    let start = text.trimmed.prefix(200)
    // This returns for nearly every value, because compiling the expression takes milliseconds (row 7 of the benchmarks).
    guard start.contains(where: "<{[$%".contains) || starts.contains(where: start.lowercased().contains) else {
      return false
    }
    let bare = start.filter { !"{}<>[]".contains($0) }
    return start.firstMatch(of: template) != nil && !(GUID.isGUID(bare) && bare.contains { !"0-".contains($0) })
  }
}
