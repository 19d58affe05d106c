import Foundation

/// A plot with logarithmic axes, as SVG that reads well on light and dark pages.
struct Plot {
  struct Line {
    let name: String
    let color: String
    let points: [(x: Double, y: Double)]
  }

  let file: String
  private let title: String
  private let xTitle: String
  private let yTitle: String
  private let lines: [Line]

  private static let (width, height) = (720.0, 420.0)
  private static let (left, right, top, bottom) = (95.0, 205.0, 50.0, 60.0)

  /// The plots that the measurements have points for.
  static func all(_ measurements: [Measurement]) -> [Plot] {
    func points(_ row: String, _ subject: String, _ names: [(Double, String)]) -> [(x: Double, y: Double)] {
      names.compactMap { x, name in
        measurements.first { $0.row == row && $0.subject == subject && $0.name == name }.map { (x, $0.value) }
      }
    }
    let sizes = [1.0, 10, 100, 1_000, 10_000]
    let accounts = ["B2CConnector", Peer.subject].flatMap { subject in
      AccountSizes.subjects.map { name in
        (subject, name, points(AccountSizes.row, subject, sizes.map { ($0, AccountSizes.name(name, Int($0))) }))
      }
    }
    let colors = ["#2f7ed8", "#2ca25f", "#d95f0e", "#8856a7"]
    let accountLines = accounts.filter { !$0.2.isEmpty }.enumerated().map { number, line in
      Line(
        name: (line.0 == Peer.subject ? line.0 + ": " : "") + line.1, color: colors[number % colors.count],
        points: line.2)
    }
    let callers = [
      (1.0, "1 caller on an expired token"), (8, "8 callers on an expired token"),
      (64, "64 callers on an expired token"),
      (1_000, "1,000 callers on an expired token"),
    ]
    let callerLines = [
      Line(name: "B2CConnector", color: colors[0], points: points("4", "B2CConnector", callers)),
      Line(name: Peer.subject, color: colors[2], points: points("4", Peer.subject, callers)),
    ].filter { !$0.points.isEmpty }
    return [
      Plot(
        file: "accounts.svg", title: "Cost against the number of accounts", xTitle: "accounts in the cache",
        yTitle: "µs for one operation", lines: accountLines),
      Plot(
        file: "callers.svg", title: "Token requests when a token has expired", xTitle: "callers at once",
        yTitle: "token requests", lines: callerLines),
    ].filter { !$0.lines.isEmpty }
  }

  /// The plot as a document.
  var svg: String {
    let all = lines.flatMap(\.points)
    let xs = Self.decades(all.map(\.x))
    let ys = Self.decades(all.map(\.y))
    func x(_ value: Double) -> Double {
      Self.left + (log10(value) - xs.low) / (xs.high - xs.low) * (Self.width - Self.left - Self.right)
    }
    func y(_ value: Double) -> Double {
      Self.height - Self.bottom - (log10(value) - ys.low) / (ys.high - ys.low) * (Self.height - Self.top - Self.bottom)
    }
    var parts = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" "
        + "font-family=\"sans-serif\" font-size=\"13\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
      Self.text(Self.left, 26, title, "font-size=\"17\""),
    ]
    for power in Int(xs.low)...Int(xs.high) {
      let place = x(pow(10, Double(power)))
      parts.append(Self.rule(place, Self.top, place, Self.height - Self.bottom))
      parts.append(
        Self.text(place, Self.height - Self.bottom + 18, Self.number(power), "text-anchor=\"middle\""))
    }
    for power in Int(ys.low)...Int(ys.high) {
      let place = y(pow(10, Double(power)))
      parts.append(Self.rule(Self.left, place, Self.width - Self.right, place))
      parts.append(Self.text(Self.left - 8, place + 4, Self.number(power), "text-anchor=\"end\""))
    }
    let middle = (Self.left + Self.width - Self.right) / 2
    parts.append(Self.text(middle, Self.height - 18, xTitle, "text-anchor=\"middle\""))
    parts.append(
      Self.text(0, 0, yTitle, "text-anchor=\"middle\" transform=\"translate(16 \(Int(Self.height / 2))) rotate(-90)\""))
    for line in lines {
      let places = line.points.map { (x($0.x), y($0.y)) }
      let path = places.map { String(format: "%.1f,%.1f", $0.0, $0.1) }.joined(separator: " ")
      parts.append("<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(line.color)\" stroke-width=\"2.5\"/>")
      for place in places {
        parts.append(
          String(format: "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"\(line.color)\"/>", place.0, place.1))
      }
    }
    // Names are apart from each other, in the order of the lines' ends.
    var next = Self.top
    for line in lines.sorted(by: { ($0.points.last?.y ?? 0) > ($1.points.last?.y ?? 0) }) {
      guard let last = line.points.last else { continue }
      next = max(next, y(last.y) + 4)
      for (number, words) in Self.wrapped(line.name).enumerated() {
        parts.append(
          Self.text(Self.width - Self.right + 12, next + Double(number) * 15, words, "fill=\"\(line.color)\""))
      }
      next += Double(Self.wrapped(line.name).count) * 15 + 6
    }
    return (parts + ["</svg>", ""]).joined(separator: "\n")
  }

  private static func decades(_ values: [Double]) -> (low: Double, high: Double) {
    let low = (log10(values.min() ?? 1) + 1e-9).rounded(.down)
    return (low, max(low + 1, (log10(values.max() ?? 10) - 1e-9).rounded(.up)))
  }

  private static func number(_ power: Int) -> String {
    guard power >= 0 else { return String(format: "%g", pow(10, Double(power))) }
    let groups = Array(repeating: "000", count: power / 3)
    return (["1" + String(repeating: "0", count: power % 3)] + groups).joined(separator: ",")
  }

  private static func wrapped(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: [""]) { lines, word in
      let last = lines.count - 1
      if lines[last].isEmpty {
        lines[last] = String(word)
      } else if lines[last].count + word.count < 26 {
        lines[last] += " " + word
      } else {
        lines.append(String(word))
      }
    }
  }

  private static func text(_ x: Double, _ y: Double, _ text: String, _ attributes: String) -> String {
    String(format: "<text x=\"%.1f\" y=\"%.1f\" \(attributes)>", x, y) + text + "</text>"
  }

  private static func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    String(format: "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", x1, y1, x2, y2)
  }
}
