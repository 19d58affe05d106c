import Foundation

/// A drawing of what the processes had in use, as SVG.
enum SoakPlot {
  private static let (width, height, left, top) = (720.0, 150.0, 60.0, 30.0)
  private static let colors = ["#0b6", "#06c", "#c50", "#85c"]

  /// Draws two charts under each other: resident memory and open descriptors, a line for each process.
  static func svg(_ samples: [[SoakLog.Sample]], seconds: Double) -> String {
    let total = 2 * (height + top + 30)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(left + width + 20)) \(Int(total))" \
      font-family="sans-serif" font-size="12">
      \(chart("resident memory, MB", samples, seconds, at: 0) { Double($0.memory) / 1_048_576 })
      \(chart("open descriptors", samples, seconds, at: height + top + 30) { Double($0.files) })
      </svg>

      """
  }

  private static func chart(
    _ title: String, _ samples: [[SoakLog.Sample]], _ seconds: Double, at offset: Double,
    _ value: (SoakLog.Sample) -> Double
  ) -> String {
    let most = max(1, samples.joined().map(value).max() ?? 1) * 1.1
    let start = samples.compactMap(\.first?.time).min() ?? 0
    let base = offset + top + height
    func y(_ value: Double) -> String { String(format: "%.1f", base - value / most * height) }
    var parts = [
      "<text x=\"\(Int(left))\" y=\"\(Int(offset + top - 10))\">\(title), \(samples.count) processes, "
        + "\(String(format: "%.1f", seconds / 60)) minutes</text>",
      "<path d=\"M\(left) \(offset + top)V\(base)H\(left + width)\" fill=\"none\" stroke=\"#888\"/>",
    ]
    for mark in [0, most / 2, most] {
      parts.append("<text x=\"\(Int(left - 6))\" y=\"\(y(mark))\" text-anchor=\"end\">\(Int(mark.rounded()))</text>")
    }
    for (number, own) in samples.enumerated() {
      // Three hundred points show all that can be seen.
      let step = max(1, own.count / 300)
      let points = stride(from: 0, to: own.count, by: step).map { index in
        String(format: "%.1f", left + (own[index].time - start) / seconds * width) + "," + y(value(own[index]))
      }
      parts.append(
        "<polyline fill=\"none\" stroke=\"\(colors[number % colors.count])\" points=\"\(points.joined(separator: " "))\"/>"
      )
    }
    return parts.joined(separator: "\n")
  }
}
