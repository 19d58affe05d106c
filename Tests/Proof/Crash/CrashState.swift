/// What a record may be, by what its writer has said: the last finished change, or the one that was under way.
struct CrashState {
  /// By account; 0 stands for no record.
  private(set) var finished: [String: Int] = [:]
  private(set) var underWay: [String: Int] = [:]
  private(set) var highest = 0
  private(set) var finishedCount = 0

  /// Takes what a killed writer has said.
  mutating func read(_ text: String) {
    underWay = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let number = Int(words[2]) else { continue }
      let account = String(words[1])
      highest = max(highest, number)
      if words[0] == "s" {
        underWay[account] = number
      } else {
        finished[account] = number
        underWay[account] = nil
        finishedCount += 1
      }
    }
  }

  /// Whether a number may be found for an account.
  func allows(_ number: Int, for account: String) -> Bool {
    number == finished[account, default: 0] || number == underWay[account]
  }

  /// Takes what was found as the state from now on.
  mutating func settle(_ number: Int, for account: String) {
    finished[account] = number
  }
}
