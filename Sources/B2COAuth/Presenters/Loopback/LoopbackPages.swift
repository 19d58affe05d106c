/// What the browser shows when a ``LoopbackPresenter`` has the answer, in the app's name and the user's language.
///
/// The pages are static: nothing of the request stands in them, they run no script and load nothing.
public struct LoopbackPages: Sendable {
  /// The words of both pages in one language.
  public struct Texts: Sendable, Hashable {
    /// The language as a BCP 47 tag, such as `de` or `pt-BR`.
    public var language: String
    /// The heading when the server has answered.
    public var successHeading: String
    /// The line below it.
    public var successMessage: String
    /// The heading when the server has refused, or the user has pressed Cancel.
    public var failureHeading: String
    /// The line below it.
    public var failureMessage: String

    /// Makes the words of one language.
    ///
    /// - Parameters:
    ///   - language: The language as a BCP 47 tag.
    ///   - successHeading: The heading when the server has answered.
    ///   - successMessage: The line below it.
    ///   - failureHeading: The heading when the server has refused.
    ///   - failureMessage: The line below it.
    public init(
      language: String, successHeading: String, successMessage: String, failureHeading: String, failureMessage: String
    ) {
      self.language = language
      self.successHeading = successHeading
      self.successMessage = successMessage
      self.failureHeading = failureHeading
      self.failureMessage = failureMessage
    }

    /// The English words.
    public static let english = Texts(
      language: "en", successHeading: "You can close this window",
      successMessage: "The browser's part is done. Go back to the app to continue.",
      failureHeading: "Not finished",
      failureMessage: "The page ended without a result. Go back to the app to continue.")
  }

  /// The name of the app, shown above the heading; none when empty.
  public var appName: String
  /// The color of the mark beside the heading, as six hexadecimal digits; anything else gives the standard color.
  public var accentColor: String
  /// The words, by language; the browser's languages choose, the first is for all others.
  public var texts: [Texts]

  /// Makes pages.
  ///
  /// - Parameters:
  ///   - appName: The name of the app.
  ///   - accentColor: The color of the mark beside the heading, as six hexadecimal digits.
  ///   - texts: The words, by language.
  public init(appName: String = "", accentColor: String = "0B6BCB", texts: [Texts] = [.english]) {
    self.appName = appName
    self.accentColor = accentColor
    self.texts = texts
  }
}

extension LoopbackPages {
  /// Gives the words for a browser's `Accept-Language` (RFC 9110 section 12.5.4).
  func texts(accepting header: String?) -> Texts {
    let wanted = (header ?? "").split(separator: ",").map { item -> (tag: String, weight: Double) in
      let parts = item.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      return (parts.first ?? "", weight)
    }
    let ranked = wanted.enumerated().filter { $0.element.weight > 0 }
      .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
    for (_, item) in ranked {
      if let match = texts.first(where: { $0.language.lowercased() == item.tag }) { return match }
      let language = item.tag.prefix { $0 != "-" }
      if let match = texts.first(where: { $0.language.lowercased().prefix { $0 != "-" } == language }) { return match }
    }
    return texts.first ?? .english
  }
}
