/// A page that this package shows in a browser: a card with a heading in the middle of the window.
///
/// It follows the system's light or dark appearance, fits a phone, runs no script and loads nothing.
package enum StyledPage {
  /// Returns a page from HTML for its title, which is also its heading, and for its body.
  package static func html(title: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
    <link rel="icon" href="data:,">
    <style>\(css)</style>
    <main>
    <h1>\(title)</h1>
    \(body)
    </main>

    """
  }

  // Docs/Examples/TaskServer has a copy of these rules, because an example uses only the public API.
  private static let css = """
    :root {
      color-scheme: light dark;
      --ground: #f2f3f6; --card: #ffffff; --edge: #dddfe6; --field: #7b7f8b;
      --text: #1b1c20; --quiet: #5a5e69; --accent: #0b57c5; --on-accent: #ffffff; --error: #a3180f; --on-error: #fdeeec;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #101114; --card: #1c1d21; --edge: #303239; --field: #7d818c;
        --text: #f1f1f4; --quiet: #a9adb8; --accent: #8db8ff; --on-accent: #0a1a33; --error: #ffb3aa; --on-error: #3d1714;
      }
    }
    * { box-sizing: border-box; }
    body {
      display: grid; align-items: center; justify-items: center; min-height: 100vh; min-height: 100dvh; margin: 0; padding: 1rem;
      background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
    }
    main {
      width: 100%; max-width: 25rem; padding: 2rem; overflow-wrap: anywhere; background: var(--card);
      border: 1px solid var(--edge); border-radius: 1rem; box-shadow: 0 0.5rem 2rem rgb(0 0 0 / 0.08);
    }
    h1 { margin: 0; text-wrap: balance; font-size: 1.5rem; line-height: 1.25; }
    p { margin: 0.75rem 0 0; }
    form { margin: 1.5rem 0 0; }
    label { display: block; margin: 1rem 0 0; font-size: 0.875rem; font-weight: 600; }
    input, button { width: 100%; min-height: 2.75rem; border-radius: 0.5rem; font: inherit; }
    input { margin: 0.25rem 0 0; padding: 0 0.75rem; background: var(--card); color: inherit; border: 1px solid var(--field); }
    button { margin: 1.5rem 0 0; background: var(--accent); color: var(--on-accent); border: 0; font-weight: 600; cursor: pointer; }
    .quiet { margin: 0.25rem 0 0; background: none; color: var(--accent); font-weight: 400; }
    .quiet:hover { text-decoration: underline; }
    button:not(.quiet):hover { filter: brightness(1.1); }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .quiet:focus-visible { outline-offset: -3px; }
    [role=alert] { padding: 0.75rem; background: var(--on-error); color: var(--error); border-radius: 0.5rem; }
    footer { margin: 1.5rem 0 0; padding: 1rem 0 0; border-top: 1px solid var(--edge); color: var(--quiet); font-size: 0.875rem; }
    @media (max-width: 30rem) { main { padding: 1.5rem; } }
    """
}
