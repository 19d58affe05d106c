/// A reader of binary property lists.
///
/// Not Foundation's: on Linux a set in a file of 40 bytes ends the process there, a dozen shared lists take seconds, and
/// of two equal keys one is taken silently. Here every offset, length and reference is checked before it is used, and the
/// limits of depth and of unfolded values end circles and shared values.
struct BinaryReader {
  private static let headerLength = 8
  private static let trailerLength = 32
  /// Values and characters that a file may unfold to, since it can refer to one value many times.
  private static let maximumUnfolded = 262_144

  private let bytes: [UInt8]
  private var offsets: [Int] = []
  private var referenceSize = 0
  private var budget = maximumUnfolded

  /// Returns the tree from the top object.
  static func read(_ bytes: [UInt8]) throws(DocumentFault) -> Node {
    var reader = BinaryReader(bytes: bytes)
    return try reader.read()
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func read() throws(DocumentFault) -> Node {
    guard bytes.count > Self.headerLength + Self.trailerLength, bytes.starts(with: Array("bplist0".utf8)) else {
      throw Self.damaged("it is too short or of an unknown version")
    }
    let trailer = bytes.count - Self.trailerLength
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let count = try number(at: trailer + 8, size: 8)
    let top = try number(at: trailer + 16, size: 8)
    let table = try number(at: trailer + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), (1...bytes.count).contains(count),
      (Self.headerLength + 1...trailer).contains(table), count <= (trailer - table) / offsetSize
    else { throw Self.damaged("its table of values does not fit into it") }
    offsets.reserveCapacity(count)
    for index in 0..<count {
      let offset = try number(at: table + index * offsetSize, size: offsetSize)
      guard (Self.headerLength..<table).contains(offset) else { throw Self.damaged("a value lies outside of it") }
      offsets.append(offset)
    }
    return try object(top, depth: 0)
  }

  private static func damaged(_ message: String) -> DocumentFault {
    DocumentFault(
      message: "The binary property list is damaged: \(message).",
      recovery: "Write it again, or convert the original with `plutil -convert xml1`.")
  }
}

// Values.
extension BinaryReader {
  private mutating func object(_ reference: Int, depth: Int) throws(DocumentFault) -> Node {
    guard offsets.indices.contains(reference) else { throw Self.damaged("a reference names no value") }
    try charge(1)
    let offset = offsets[reference]
    let marker = bytes[offset]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0: return Node(value: try simple(marker))
    case 0x1: return Node(value: .integer(try integer(at: offset + 1, exponent: low)))
    case 0x2: return Node(value: .real(try real(at: offset + 1, exponent: low)))
    case 0x3: return Node(value: .other("a date"))
    case 0x4: return Node(value: .other("data"))
    case 0x5, 0x6, 0x7: return Node(value: .string(try string(at: offset)))
    case 0x8: return Node(value: .other("a UID"))
    case 0xA: return Node(value: .array(try array(at: offset, depth: depth + 1)))
    case 0xB, 0xC: return Node(value: .other("a set"))
    case 0xD: return Node(value: .dictionary(try dictionary(at: offset, depth: depth + 1)))
    default: throw Self.damaged("a value has an unknown type")
    }
  }

  private mutating func array(at offset: Int, depth: Int) throws(DocumentFault) -> [Node] {
    let references = try references(at: offset, perElement: 1, depth: depth)
    var nodes: [Node] = []
    for reference in references { nodes.append(try object(reference, depth: depth)) }
    return nodes
  }

  private mutating func dictionary(at offset: Int, depth: Int) throws(DocumentFault) -> [Node.Field] {
    let references = try references(at: offset, perElement: 2, depth: depth)
    let count = references.count / 2
    var fields: [Node.Field] = []
    for index in 0..<count {
      guard case .string(let key) = try object(references[index], depth: depth).value else {
        throw Self.damaged("a key is not a string")
      }
      fields.append(Node.Field(key: key, node: try object(references[count + index], depth: depth)))
    }
    return fields
  }

  private func references(at offset: Int, perElement: Int, depth: Int) throws(DocumentFault) -> [Int] {
    guard depth <= SettingsDocument.maximumDepth else { throw SettingsDocument.tooDeep(at: nil) }
    let (start, count) = try lengthAndStart(at: offset)
    guard count <= (bytes.count - start) / (referenceSize * perElement) else {
      throw Self.damaged("a list is longer than the file")
    }
    var references: [Int] = []
    references.reserveCapacity(count * perElement)
    for index in 0..<(count * perElement) {
      references.append(try number(at: start + index * referenceSize, size: referenceSize))
    }
    return references
  }

  private mutating func charge(_ amount: Int) throws(DocumentFault) {
    budget -= amount
    guard budget >= 0 else {
      throw DocumentFault(
        kind: .tooManyValues, message: "The file unfolds to more than \(Self.maximumUnfolded) values and characters.",
        recovery: "Use a settings file, which has a few dozen.")
    }
  }
}

// Scalars.
extension BinaryReader {
  /// Returns an unsigned number, most significant byte first.
  private func number(at offset: Int, size: Int) throws(DocumentFault) -> Int {
    let bits = try bits(at: offset, size: size)
    guard let number = Int(exactly: bits) else { throw Self.damaged("a number is too large") }
    return number
  }

  /// Returns the number of elements of a value and where they begin: in the marker, or in an integer after it.
  private func lengthAndStart(at offset: Int) throws(DocumentFault) -> (start: Int, count: Int) {
    let low = Int(bytes[offset] & 0x0F)
    guard low == 0x0F else { return (offset + 1, low) }
    let marker = try number(at: offset + 1, size: 1)
    guard marker >> 4 == 0x1, marker & 0x0F <= 3 else { throw Self.damaged("a length is not a number") }
    let size = 1 << (marker & 0x0F)
    return (offset + 2 + size, try number(at: offset + 2, size: size))
  }

  private func simple(_ marker: UInt8) throws(DocumentFault) -> Node.Value {
    switch marker {
    case 0x00: return .null
    case 0x08: return .bool(false)
    case 0x09: return .bool(true)
    default: throw Self.damaged("a value has an unknown type")
    }
  }

  private func integer(at offset: Int, exponent: Int) throws(DocumentFault) -> Int64 {
    guard exponent <= 3 else { throw Self.damaged("a number is too large") }
    // Shorter ones are not negative.
    return Int64(bitPattern: try bits(at: offset, size: 1 << exponent))
  }

  private func real(at offset: Int, exponent: Int) throws(DocumentFault) -> Double {
    switch exponent {
    case 2: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(at: offset, size: 4))))
    case 3: return Double(bitPattern: try bits(at: offset, size: 8))
    default: throw Self.damaged("a number has an unknown size")
    }
  }

  private func bits(at offset: Int, size: Int) throws(DocumentFault) -> UInt64 {
    guard offset <= bytes.count - size else { throw Self.damaged("it ends in the middle of a value") }
    return bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  private mutating func string(at offset: Int) throws(DocumentFault) -> String {
    let (start, count) = try lengthAndStart(at: offset)
    let isUTF16 = bytes[offset] >> 4 == 0x6
    let width = isUTF16 ? 2 : 1
    guard start <= bytes.count, count <= (bytes.count - start) / width else {
      throw Self.damaged("a string is longer than the file")
    }
    try charge(count)
    let slice = bytes[start..<start + count * width]
    guard isUTF16 else { return String(decoding: slice, as: UTF8.self) }
    let units = stride(from: slice.startIndex, to: slice.endIndex, by: 2).map {
      UInt16(slice[$0]) << 8 | UInt16(slice[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }
}
