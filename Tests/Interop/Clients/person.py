"""The user at the browser, who opens a page when asked to, signs in, consents, and confirms a sign-out.

It keeps one browser, with its cookies, for as long as it runs: a headless Chromium driven over WebDriver (W3C WebDriver),
or, without one, a form client of this file. POST /open {"url", "consents"}; GET /log has what was done, and no secrets.
"""

import http.server
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from forms import Forms

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
user, redirect_uri, kind = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
log = []
steps_at_most = 12


def is_field_of_name(name):
    return any(part in (name or "").lower() for part in ("user", "login", "email"))


def is_consent(text):
    return any(word in text.lower() for word in ("accept", "allow", "authorize", "grant"))


def is_refusal(text):
    return any(word in text.lower() for word in ("deny", "cancel", "decline"))


class FormClient:
    """A browser without scripts."""

    def __init__(self):
        import requests

        self.session = requests.Session()
        self.session.trust_env = False

    def visit(self, url, consents):
        response = self.session.get(url, timeout=30)
        for _ in range(steps_at_most):
            if response.url.startswith(redirect_uri):
                return "redirected"
            form = self.form_to_fill(response.text)
            if form is None:
                return "stopped"
            response = self.submit(form, response.url, consents)
        return "lost"

    @staticmethod
    def form_to_fill(text):
        forms = [form for form in Forms(text).forms if form["buttons"] and form["method"] == "post"]
        with_password = [form for form in forms if "password" in form["types"].values()]
        return (with_password or forms or [None])[0]

    def submit(self, form, base, consents):
        fields = dict(form["fields"])
        for name, type in form["types"].items():
            if type == "password":
                fields[name] = user["password"]
                log.append("password")
            elif type in ("text", "email") and is_field_of_name(name):
                fields[name] = user["name"]
        texts = [(button[0], button[1], f"{button[0] or ''} {button[1]} {button[2]}") for button in form["buttons"]]
        wanted = [button for button in texts if (is_consent(button[2]) if consents else is_refusal(button[2]))]
        if any(is_consent(button[2]) for button in texts):
            log.append("consent" if consents else "refusal")
        name, value, _ = (wanted or texts)[0]
        if name:
            fields[name] = value
        return self.session.post(urllib.parse.urljoin(base, form["action"] or base), data=fields, timeout=30, headers={"Referer": base})

    def close(self):
        pass


class Chromium:
    """A headless Chromium with an empty profile."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="interop-browser-")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0", "--log-level=SEVERE"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = next(match.group(1) for line in self.driver.stdout if (match := re.search(r"successfully on port (\d+)", line)))
        self.origin = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server", "--no-first-run", f"--user-data-dir={self.profile}"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}, "timeouts": {"implicit": 0, "pageLoad": 60000}}
        answer = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{answer['sessionId']}"
        self.version = answer["capabilities"]["browserVersion"]

    def send(self, method, path, parameters=None):
        body = json.dumps(parameters).encode() if parameters is not None else None
        request = urllib.request.Request(self.origin + path, body, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            return json.load(opener.open(request, timeout=90))["value"]
        except urllib.error.HTTPError as error:
            problem = json.load(error)["value"]
            raise RuntimeError(f"{problem['error']}: {problem['message'].splitlines()[0]}") from None

    def script(self, text, *arguments):
        return self.send("POST", f"{self.session}/execute/sync", {"script": text, "args": list(arguments)})

    def visit(self, url, consents):
        self.send("POST", f"{self.session}/url", {"url": url})
        idle = 0
        for _ in range(600):
            try:
                if self.send("GET", f"{self.session}/url").startswith(redirect_uri):
                    return "redirected"
                acted = self.act(consents)
            except RuntimeError:
                acted = False  # The page went away meanwhile.
            idle = 0 if acted else idle + 1
            if idle == 150:
                text = self.script("return document.body.innerText")
                print("stopped at:", " ".join(text.split())[:500], file=sys.stderr, flush=True)
                return "stopped"
            if idle % 25 == 24:
                # A script that was not ready yet has ignored the button, or has replaced the field.
                self.script("window.interopState = null")
            if not acted:
                time.sleep(0.05)
        return "lost"

    def act(self, consents):
        """Fills one form as a person would and presses its button; whether there was one."""
        if self.script("return document.readyState") != "complete":
            return False
        found = self.script(
            """
            // A page of one script changes without being loaded again.
            const state = location.href + document.body.innerText;
            if (window.interopState === state) return null;
            // A field that nobody can reach by the keyboard is for password managers.
            const visible = e => e.offsetParent !== null && e.tabIndex >= 0 && !e.disabled;
            const find = selector => [...document.querySelectorAll(selector)].filter(visible);
            const inForms = form => [find(form + ' input'), find(`${form} button, ${form} input[type=submit]`)];
            let [fields, buttons] = inForms('form[method=post i]');
            if (!buttons.length) [fields, buttons] = inForms('form');
            // Outside of forms, a button that continues. The button that leaves the page is only for a sign-out.
            const label = e => [e.name, e.value, e.textContent].join(' ');
            const words = /logout|end.?session/i.test(location.href) ? /log ?out|disconnect/i : /continue|grant|accept|allow/i;
            if (!buttons.length) buttons = find('button').filter(e => words.test(label(e)));
            if (!buttons.length) return null;
            window.interopState = state;
            return {fields: fields.map(e => [e, e.type, e.name]), buttons: buttons.map(e => [e, label(e)])};
            """
        )
        if not found:
            return False
        for element, type, name in found["fields"]:
            if type == "password" or (type in ("text", "email") and is_field_of_name(name)):
                self.type(element, user["password"] if type == "password" else user["name"])
                if type == "password":
                    log.append("password")
        wanted = [button for button in found["buttons"] if (is_consent(button[1]) if consents else is_refusal(button[1]))]
        if any(is_consent(button[1]) for button in found["buttons"]):
            log.append("consent" if consents else "refusal")
        button = (wanted or found["buttons"])[0][0]
        self.send("POST", f"{self.session}/element/{button[ELEMENT]}/click", {})
        return True

    def type(self, element, text):
        path = f"{self.session}/element/{element[ELEMENT]}"
        self.send("POST", f"{path}/clear", {})
        self.send("POST", f"{path}/value", {"text": text})

    def close(self):
        try:
            self.send("DELETE", self.session)
        finally:
            self.driver.kill()
            shutil.rmtree(self.profile, ignore_errors=True)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
browser = Chromium() if kind == "chromium" else FormClient()
one_at_a_time = threading.Lock()


def visit(url, consents):
    with one_at_a_time:
        try:
            log.append(browser.visit(url, consents))
        except Exception as error:
            # The URL may hold an id_token_hint.
            log.append("failed: " + str(error).replace(url, "the page")[:200])


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        wish = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        threading.Thread(target=visit, args=(wish["url"], wish.get("consents", True))).start()
        self.answer({})

    def do_GET(self):
        # The browser may still be on its way to the last page.
        with one_at_a_time:
            self.answer({"log": log})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({"person": f"http://127.0.0.1:{server.server_port}", "browser": "Chromium " + browser.version if kind == "chromium" else "form client"}), flush=True)
try:
    server.serve_forever()
finally:
    browser.close()
