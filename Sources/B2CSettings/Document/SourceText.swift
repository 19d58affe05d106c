/// The text of a file as UTF-8 bytes, which tells the line and the column of an offset.
struct SourceText {
  let bytes: [UInt8]
  private let lineStarts: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    for index in bytes.indices {
      let isCarriageReturn = bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
      if bytes[index] == 0x0A || isCarriageReturn { starts.append(index + 1) }
    }
    lineStarts = starts
  }

  /// Line and column of a byte, both from 1; columns count Unicode scalars.
  func position(at offset: Int) -> (line: Int, column: Int) {
    let offset = min(max(offset, 0), bytes.count)
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    let isStart = { (byte: UInt8) in byte & 0xC0 != 0x80 }
    return (low + 1, bytes[lineStarts[low]..<offset].count(where: isStart) + 1)
  }
}
