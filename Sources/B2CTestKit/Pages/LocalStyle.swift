/// The one stylesheet of the pages.
enum LocalStyle {
  static let sheet = """
    :root { color-scheme: light dark; --ink: #1b1b1f; --paper: #ffffff; --ground: #eef1f6; --line: #76777f;
      --accent: #1a56c4; --on-accent: #ffffff; --alert: #a4001c; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e6e6ea; --paper: #1e1f24; --ground: #121317; --line: #8e909a; --accent: #9dbcff;
        --on-accent: #0a1f4d; --alert: #ffb3b8; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; min-height: 100vh; padding: 1rem; display: flex; flex-direction: column; align-items: center;
      justify-content: center; background: var(--ground); color: var(--ink);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--paper); border-radius: 0.75rem;
      box-shadow: 0 1px 8px rgb(0 0 0 / 0.15); overflow-wrap: anywhere; }
    h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
    label { display: block; margin-top: 1rem; font-weight: 600; }
    input { width: 100%; margin-top: 0.25rem; padding: 0.625rem 0.75rem; font: inherit; color: inherit;
      background: transparent; border: 1px solid var(--line); border-radius: 0.5rem; }
    .buttons { display: flex; flex-direction: column; gap: 0.25rem; margin-top: 1.5rem; }
    button { padding: 0.75rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent);
      border: 1px solid var(--accent); border-radius: 0.5rem; cursor: pointer; }
    button:hover { filter: brightness(0.94); }
    button.secondary { color: var(--accent); background: transparent; border-color: transparent; }
    button.secondary:hover { border-color: currentColor; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    button:first-child { margin-bottom: 0.5rem; }
    .alert { padding: 0.75rem; color: var(--alert); border: 1px solid currentColor; border-radius: 0.5rem; }
    footer { max-width: 26rem; margin-top: 1rem; font-size: 0.875rem; text-align: center; text-wrap: balance;
      opacity: 0.8; }
    """
}
