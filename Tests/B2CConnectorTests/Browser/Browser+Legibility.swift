#if os(macOS) || os(Linux)
  import B2CConnector

  extension Browser {
    /// The smallest contrast between any text of the page and what is behind it (WCAG 2.2, success criterion 1.4.3).
    func smallestContrast() async throws -> Double {
      let answer = try await evaluate(
        """
        const parts = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
        const light = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
        const luminance = c => 0.2126 * light(c[0]) + 0.7152 * light(c[1]) + 0.0722 * light(c[2]);
        let smallest = 21;
        for (const element of document.querySelectorAll('body *')) {
          if (![...element.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.textContent.trim())) continue;
          let ground = [255, 255, 255, 1], opacity = 1, found = false;
          for (let parent = element; parent; parent = parent.parentElement) {
            const style = getComputedStyle(parent), color = parts(style.backgroundColor);
            opacity *= Number(style.opacity);
            if (!found && color[3] > 0) { ground = color; found = true; }
          }
          const ink = parts(getComputedStyle(element).color), share = ink[3] * opacity;
          const seen = [0, 1, 2].map(i => ink[i] * share + ground[i] * (1 - share));
          const both = [luminance(seen), luminance(ground)].sort((a, b) => b - a);
          smallest = Math.min(smallest, (both[0] + 0.05) / (both[1] + 0.05));
        }
        return smallest;
        """)
      return answer.double ?? 0
    }

    /// Whether the page has to be moved sideways to be read.
    func isWiderThanTheWindow() async throws -> Bool {
      try await evaluate("return document.documentElement.scrollWidth > window.innerWidth;").bool ?? true
    }

    /// The height of the lowest button, field or link, in CSS pixels; 1000 where there is none.
    func smallestTarget() async throws -> Double {
      let answer = try await evaluate(
        """
        const targets = [...document.querySelectorAll('button, input:not([type=hidden]), a')];
        return Math.min(1000, ...targets.map(e => e.getBoundingClientRect().height));
        """)
      return answer.double ?? 0
    }
  }
#endif
