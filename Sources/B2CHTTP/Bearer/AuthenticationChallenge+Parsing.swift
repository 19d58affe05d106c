extension AuthenticationChallenge {
  /// Reads all challenges of a header field's value, in order.
  ///
  /// What servers really send is taken: several challenges in one value, parameters without a scheme or without quotes,
  /// missing commas, a quotation that does not end.
  ///
  /// - Parameter text: The value of `WWW-Authenticate`; several fields joined with commas.
  /// - Returns: The challenges; empty when there is nothing to read.
  public static func parse(_ text: String) -> [AuthenticationChallenge] {
    var reader = ChallengeReader(text)
    return reader.challenges()
  }

  /// Gives the challenge of an answer that says most about bearer tokens.
  ///
  /// - Parameter headers: The answer's header fields.
  /// - Returns: The first bearer challenge with claims, else the first with an error, else the first; `nil` when there is
  ///   none.
  public static func bearer(in headers: HTTPHeaders) -> AuthenticationChallenge? {
    let all = headers.values(of: "WWW-Authenticate").flatMap(parse).filter(\.isBearer)
    return all.first { $0.parameters["claims"] != nil } ?? all.first { $0.error != nil } ?? all.first
  }
}
