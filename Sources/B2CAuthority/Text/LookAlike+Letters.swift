extension LookAlike {
  /// Small letters that look like one of ASCII's, by script.
  static let letters: [Unicode.Scalar: UInt8] = {
    let pairs: [(others: String, ascii: String)] = [
      // Latin, phonetic and small capitals.
      ("\u{251}\u{253}\u{188}\u{111}\u{192}\u{261}\u{127}\u{131}\u{269}\u{142}\u{29F}\u{F8}\u{1D0F}", "abcdfghiilloo"),
      (
        "\u{1D04}\u{A730}\u{262}\u{26A}\u{1D0D}\u{274}\u{280}\u{A731}\u{167}\u{1D1B}\u{1D1C}\u{1D20}\u{1D21}",
        "cfgimnrsttuvw"
      ),
      // Cyrillic.
      ("\u{430}\u{432}\u{44C}\u{441}\u{501}\u{435}\u{50D}\u{4BB}\u{43D}\u{456}\u{458}\u{43A}\u{4CF}", "abbcdeghhijkl"),
      ("\u{43C}\u{43F}\u{43E}\u{440}\u{51B}\u{433}\u{455}\u{442}\u{446}\u{475}\u{51D}\u{445}\u{443}", "mnopqrstuvwxy"),
      // Greek.
      ("\u{3B1}\u{3B2}\u{3F2}\u{3C2}\u{3B5}\u{3B7}\u{3B9}\u{3F3}\u{3BA}\u{3BC}\u{3BD}\u{3BF}", "abccenijkmvo"),
      ("\u{3C3}\u{3C1}\u{3C4}\u{3C5}\u{3C9}\u{3C7}\u{3B3}", "optuwxy"),
      // Armenian.
      ("\u{585}\u{578}\u{57D}\u{570}\u{581}\u{566}\u{56C}", "onuhgql"),
    ]
    var table: [Unicode.Scalar: UInt8] = [:]
    for pair in pairs {
      for (other, letter) in zip(pair.others.unicodeScalars, pair.ascii.utf8) {
        table[other] = letter
      }
    }
    return table
  }()
}
