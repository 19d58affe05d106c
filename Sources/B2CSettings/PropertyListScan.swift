internal import B2CCore
import Foundation

/// The one pass over the text of an XML property list before Foundation reads it.
///
/// Foundation uses the last of two equal keys, ignores what follows `</plist>`, reads any other file as an OpenStep list,
/// names line 1 for every fault, and ends the process where lists are nested deeply. So this pass bounds the structure,
/// records the place of each value, and copies what it has checked: Foundation reads the copy only. Faults inside a value,
/// the ones that people really make (`<string><Enter …></string>`, a raw `&`, a missing `</string>`), are reported and left
/// out of the copy, so that the other values are read too; at any other fault the copy ends.
struct PropertyListScan {
  /// Settings have three levels and a dozen containers; Foundation's reader is recursive.
  static let maximumDepth = 32
  static let maximumContainers = 200

  /// The property list that Foundation may read.
  private(set) var copy = Data()
  /// The paths of values that are reported already.
  private(set) var unreadable: Set<String> = []
  /// Whether the text was read to its end, so that absent keys are really missing.
  private(set) var isComplete = false

  private let bytes: [UInt8]
  private let findings: Findings
  private var index = 0
  private var containers = 0
  /// The path of the value that is being read.
  private var path = SettingsPath()

  /// A tag; attributes have no meaning in a property list.
  private struct Tag {
    let name: String
    let isClosing: Bool
    let isEmpty: Bool
    let offset: Int
  }

  /// Reads a text, and reports its faults.
  init(_ text: [UInt8], findings: Findings) {
    bytes = text
    self.findings = findings
    do throws(DocumentFault) {
      try readDocument()
    } catch {
      findings.add(error, at: path)
    }
  }

  private mutating func readDocument() throws(DocumentFault) {
    write("<plist>")
    defer { write("</plist>") }
    try skipDocumentType()
    var tag = try tag()
    let hasPlist = tag.name == "plist" && !tag.isClosing
    // The tutorial shows its file from <dict> on.
    guard hasPlist || tag.name == "dict" else {
      throw DocumentFault(
        kind: .notAPropertyList,
        message: "The file is not a property list: it begins with <\(Shown.value(tag.name) ?? "…")>.",
        offset: tag.offset, recovery: "Begin it with <plist version=\"1.0\">.")
    }
    if hasPlist {
      guard !tag.isEmpty else { throw expected("a <dict> in the <plist>", at: tag.offset) }
      tag = try self.tag()
    }
    try readValue(tag, depth: 1)
    isComplete = true
    let end = try skipSpace()
    if hasPlist {
      guard !isAtEnd, case let tag = try self.tag(), tag.isClosing, tag.name == "plist" else {
        throw expected("</plist>", at: end)
      }
    }
    guard try skipSpace() == bytes.count else { throw expected("the end of the file", at: index) }
  }

  private func expected(_ what: String, at offset: Int) -> DocumentFault {
    DocumentFault(
      message: "The XML is malformed: expected \(what).", offset: offset,
      recovery: "Fix it at this place, where reading stops.")
  }

  private mutating func write(_ text: String) {
    copy.append(contentsOf: text.utf8)
  }

  private mutating func writeUnreadable() {
    unreadable.insert(path.description)
    write("<true/>")
  }
}

// MARK: - Elements

extension PropertyListScan {
  private static let leaves: Set<String> = ["string", "integer", "real", "true", "false", "date", "data"]

  private mutating func readValue(_ tag: Tag, depth: Int) throws(DocumentFault) {
    findings.recordValue(path, at: tag.offset)
    if tag.name == "dict" || tag.name == "array", !tag.isClosing { return try readContainer(tag, depth: depth) }
    guard Self.leaves.contains(tag.name), !tag.isClosing else {
      throw expected("<string>, <true/>, <false/>, <integer>, <array> or <dict>", at: tag.offset)
    }
    do throws(DocumentFault) {
      write(try readText(of: tag).xml)
    } catch {
      if isAtEnd { throw error }
      findings.add(error, at: path)
      writeUnreadable()
    }
  }

  private mutating func readContainer(_ tag: Tag, depth: Int) throws(DocumentFault) {
    containers += 1
    guard depth <= Self.maximumDepth, containers <= Self.maximumContainers else {
      throw DocumentFault(
        kind: depth > Self.maximumDepth ? .nestingTooDeep : .tooManyValues,
        message: "There are more than \(Self.maximumDepth) levels, or \(Self.maximumContainers) containers.",
        offset: tag.offset, recovery: "Settings need three levels, and a dozen arrays and dictionaries.")
    }
    write("<\(tag.name)>")
    defer { write("</\(tag.name)>") }
    let outer = path
    var keys: Set<String> = []
    var count = 0
    while !tag.isEmpty {
      let next = try self.tag()
      if next.isClosing {
        guard next.name == tag.name else { throw expected("</\(tag.name)>", at: next.offset) }
        return
      }
      if tag.name == "dict" {
        try readField(next, keys: &keys, depth: depth)
      } else {
        path = outer.appending(index: count)
        try readValue(next, depth: depth + 1)
      }
      path = outer
      count += 1
    }
  }

  /// Reads a key and its value.
  private mutating func readField(_ tag: Tag, keys: inout Set<String>, depth: Int) throws(DocumentFault) {
    guard tag.name == "key" else { throw expected("a <key> before the value", at: tag.offset) }
    let (xml, value) = try readText(of: tag)
    guard let key = value as? String else { throw expected("a key", at: tag.offset) }
    path = path.appending(key: key)
    findings.recordKey(path, at: tag.offset)
    let isFirst = keys.insert(key).inserted
    if !isFirst {
      findings.add(
        .duplicateKey, "The key appears twice, and parsers differ in which one they use.", at: path,
        recovery: "Remove one of them.", offset: tag.offset)
    }
    let start = copy.count
    write(xml)
    let end = copy.count
    defer {
      if copy.count == end { writeUnreadable() }
      if !isFirst { copy.removeSubrange(start...) }
    }
    let next = try self.tag()
    guard !next.isClosing, next.name != "key" else { throw expected("a value after the key", at: tag.offset) }
    try readValue(next, depth: depth + 1)
  }
}

// MARK: - Texts

extension PropertyListScan {
  /// Reads up to the closing tag of an element, or up to the tag before which that was forgotten.
  ///
  /// - Returns: The element without comments, and its value.
  private mutating func readText(of tag: Tag) throws(DocumentFault) -> (xml: String, value: Any) {
    var text: [UInt8] = []
    var markup: Int?
    let start = index
    while !tag.isEmpty {
      let begin = index
      if !isAtEnd, bytes[index] == UInt8(ascii: "<") {
        if isAtEnd(of: tag) { break }
        if try skipComment() { continue }
        if starts(with: "<![CDATA[") {
          try skip(to: "]]>")
          text += bytes[begin..<index]
          continue
        }
      }
      guard !isAtEnd, !isAtElement else {
        throw DocumentFault(
          message: "<\(tag.name)> is not closed.", offset: tag.offset, recovery: "Close it with </\(tag.name)>.")
      }
      if bytes[index] == UInt8(ascii: "<"), markup == nil { markup = index }
      text.append(bytes[index])
      index += 1
    }
    let raw = String(decoding: text, as: UTF8.self)
    let ampersand = Self.bareAmpersands(in: bytes[start..<index]).first
    if !tag.isEmpty { _ = try self.tag() }
    if let markup { throw self.markup(raw, in: tag, at: markup) }
    let xml = "<\(tag.name)>\(raw)</\(tag.name)>"
    if let value = try? PropertyListSerialization.propertyList(from: Data(xml.utf8), options: [], format: nil) {
      return (xml, value)
    }
    if let ampersand { throw self.ampersand(raw, at: ampersand) }
    throw DocumentFault(
      message: "The content of <\(tag.name)> is not valid, or out of range.", offset: tag.offset,
      recovery: "Write it as a property list has it, or use <string> or <true/>.")
  }

  private func markup(_ raw: String, in tag: Tag, at offset: Int) -> DocumentFault {
    guard Placeholder.isPlaceholder(raw) else {
      return DocumentFault(
        message: "<\(tag.name)> contains markup.", offset: offset, recovery: "Write < as &lt; if it is not a tag.")
    }
    return DocumentFault(
      kind: .placeholder, message: Placeholder.message, offset: tag.offset, value: mayShow(raw) ? raw.trimmed : nil,
      recovery: path.key?.recovery(isGeneric: false) ?? "Write the value in its place, or remove the key.")
  }

  private func ampersand(_ raw: String, at offset: Int) -> DocumentFault {
    var corrected = Array(raw.utf8)
    for place in Self.bareAmpersands(in: corrected[...]).reversed() {
      corrected.replaceSubrange(place...place, with: "&amp;".utf8)
    }
    let text = String(decoding: corrected, as: UTF8.self)
    return DocumentFault(
      message: "An ampersand is not escaped.", offset: offset,
      suggestion: mayShow(raw) && Shown.value(text) == text ? text : nil, recovery: "Write & as &amp; in XML.")
  }

  /// Whether a value that cannot be read may be shown: only that of a known key, and nothing that may hold a password.
  private func mayShow(_ raw: String) -> Bool { path.key != nil && !raw.contains("@") }

  /// Returns where the ampersands are that begin no entity or character, outside of comments and CDATA sections.
  private static func bareAmpersands(in bytes: ArraySlice<UInt8>) -> [Int] {
    var places: [Int] = []
    var place = bytes.startIndex
    while place < bytes.endIndex {
      let rest = bytes[place...]
      let section = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].first { rest.starts(with: $0.0.utf8) }
      if let section {
        while place < bytes.endIndex, !bytes[place...].starts(with: section.1.utf8) { place += 1 }
      } else if bytes[place] == UInt8(ascii: "&"), !isReference(rest.dropFirst().prefix(10)) {
        places.append(place)
      }
      place += 1
    }
    return places
  }

  /// Whether what follows an ampersand makes it one of XML's five entities, or a character by its number.
  private static func isReference(_ rest: ArraySlice<UInt8>) -> Bool {
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return false }
    let name = String(decoding: rest[..<end], as: UTF8.self)
    guard name.hasPrefix("#") else { return ["amp", "lt", "gt", "quot", "apos"].contains(name) }
    let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
    guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return false }
    return UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10).flatMap(Unicode.Scalar.init) != nil
  }

  /// The tags of property lists as editors write them, before which a closing tag may be forgotten.
  private static let tags = ["key", "dict", "array", "string", "plist", "true", "false", "integer"].flatMap {
    ["<\($0)>", "</\($0)>", "<\($0)/>"]
  }

  /// Whether the closing tag of an element follows, which may have spaces before its `>`.
  private func isAtEnd(of tag: Tag) -> Bool {
    let name = "</\(tag.name)"
    guard starts(with: name) else { return false }
    return bytes[(index + name.utf8.count)...].first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: ">")
  }

  private var isAtElement: Bool { bytes[index] == UInt8(ascii: "<") && Self.tags.contains { starts(with: $0) } }
}

// MARK: - The cursor

extension PropertyListScan {
  private var isAtEnd: Bool { index >= bytes.count }

  private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  /// Moves behind the next occurrence of a text.
  private mutating func skip(to end: String) throws(DocumentFault) {
    let start = index
    while !starts(with: end) {
      guard !isAtEnd else { throw expected("\(end) after this", at: start) }
      index += 1
    }
    index += end.utf8.count
  }

  private mutating func skipComment() throws(DocumentFault) -> Bool {
    guard starts(with: "<!--") || starts(with: "<?") else { return false }
    try skip(to: starts(with: "<?") ? "?>" : "-->")
    return true
  }

  /// Skips spaces, comments and instructions; returns the offset of what follows.
  @discardableResult
  private mutating func skipSpace() throws(DocumentFault) -> Int {
    while !isAtEnd {
      if " \t\r\n".utf8.contains(bytes[index]) { index += 1 } else if try !skipComment() { break }
    }
    return index
  }

  /// Skips the document type, which may declare nothing, no entity above all.
  private mutating func skipDocumentType() throws(DocumentFault) {
    let start = try skipSpace()
    guard starts(with: "<!") else { return }
    try skip(to: ">")
    guard !bytes[start..<index].contains(UInt8(ascii: "[")) else {
      throw DocumentFault(
        kind: .documentTypeDefinition, message: "The document type declares rules or entities.", offset: start,
        recovery: "Remove the part in [ ] brackets: a property list needs none.")
    }
  }

  /// Reads the next tag.
  private mutating func tag() throws(DocumentFault) -> Tag {
    let start = try skipSpace()
    guard !isAtEnd, bytes[start] == UInt8(ascii: "<") else { throw expected("a tag", at: start) }
    let end = bytes[(start + 1)...].firstIndex { "<>".utf8.contains($0) } ?? bytes.count
    let inside = bytes[(start + 1)..<end]
    let isClosing = inside.first == UInt8(ascii: "/")
    let name = inside.dropFirst(isClosing ? 1 : 0).prefix { !" \t\r\n/".utf8.contains($0) }
    guard end < bytes.count, bytes[end] == UInt8(ascii: ">"), !name.isEmpty, name.allSatisfy({ $0 < 0x80 })
    else { throw expected("a tag with a name and >", at: start) }
    index = end + 1
    return Tag(
      name: String(decoding: name, as: UTF8.self), isClosing: isClosing,
      isEmpty: !isClosing && inside.last == UInt8(ascii: "/"), offset: start)
  }
}
