"""Visitors and attackers of Docs/Examples/TaskServer, for .ci/task-server.

usage: visitors.py SITE TENANT HTTPS PORT...

SITE is the origin of the redirect URI, TENANT the process of the local tenant, HTTPS the port of a server whose redirect
URI is of https. Each request goes to the next PORT, as behind a proxy that knows no sessions.
"""
import base64, hashlib, html, http.client, os, re, runpy, select, signal, socket, sys, textwrap, urllib.parse

os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
Page = runpy.run_path(".ci/person")["Page"]


def css(path):
    with open(path, encoding="utf-8") as file:
        return textwrap.dedent(re.search(r'let css = """\n(.*?)\n *"""', file.read(), re.S)[1])


style = css("Docs/Examples/TaskServer/Style.swift")
site, tenant, https, *ports = [sys.argv[1], *map(int, sys.argv[2:])]
netloc = urllib.parse.urlsplit(site).netloc
headers_of_all = {
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; style-src 'sha256-" + base64.b64encode(
        hashlib.sha256(style.encode()).digest()).decode() + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"}


def check(holds, what):
    if not holds:
        sys.exit("task-server: " + what)


class Visitor:
    """A browser with its cookies, which follows nothing by itself."""

    def __init__(self, first=0, at=ports):
        self.at, self.turn, self.cookies = at, first, {}

    @property
    def own(self):
        return self.cookies.setdefault(netloc, {})

    def send(self, method, url, form=None, **fields):
        place = urllib.parse.urlsplit(urllib.parse.urljoin(site, url))
        jar, port = self.cookies.setdefault(place.netloc, {}), place.port
        if place.netloc == netloc:
            port, self.turn = self.at[self.turn % len(self.at)], self.turn + 1
        sent = {"Host": place.netloc, "Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
        if method == "POST":
            sent |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"{place.scheme}://{place.netloc}"}
        sent |= {name.replace("_", "-"): value for name, value in fields.items()}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(
            method, place._replace(scheme="", netloc="").geturl(), form and urllib.parse.urlencode(form),
            {name: value for name, value in sent.items() if value})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.split(";")[0].partition("=")
            jar[name] = value
            if not value:
                del jar[name]
        if place.netloc == netloc:
            lacking = [name for name, value in headers_of_all.items() if answer.headers[name] != value]
            check(not lacking, f"{method} {url}: {answer.status} without {lacking}")
            is_styled = f"<style>{style}</style>" in text and ' style="' not in text
            check(is_styled or not text, f"{method} {url}: {answer.status} without the style that the policy allows")
        return answer.status, answer.headers, text

    def begin(self):
        """Returns the address of the provider's page."""
        status, headers, text = self.send("GET", "/login")
        check(status == 303 and "code_challenge=" in headers["Location"], f"/login: {status} {text}")
        return headers["Location"]

    def sign_in_at(self, address, name="alice", action="continue"):
        """Fills in a page and presses a button; returns the callback, and whether there was a page."""
        _, headers, text = self.send("GET", address)
        page = Page(text)
        if not page.action:
            return headers["Location"], False
        page.fields |= {"email": f"{name}@example.com", "password": f"Not-A-Secret-{'-ab'.index(name[0])}", "action": action}
        return self.send("POST", urllib.parse.urljoin(address, page.action), page.fields)[1]["Location"], True

    def sign_in(self, name="alice"):
        """Returns whether a password was asked for."""
        callback, asked = self.sign_in_at(self.begin(), name)
        status, headers, text = self.send("GET", callback)
        check((status, headers["Location"]) == (303, "/") and self.tasks() is not None, f"a sign-in ends with {status}: {text}")
        return asked

    def tasks(self):
        """How many tasks the page shows; `None` without a session."""
        text = self.send("GET", "/")[2]
        return text.count("<li>") if "Tasks of" in text else None


def having(session):
    copy = Visitor()
    copy.own["session"] = session
    return copy


check(style.startswith(css("Sources/B2CLoopback/StyledPage.swift")), "the style differs from the one of the package's pages")

# Half a head, half a form: looked at again in the end.
halves = [socket.create_connection(("127.0.0.1", ports[0])) for _ in range(6)]
for half, text in zip(halves, ["GET / HTTP/1.1\r\nHost: a\r\n", "POST /add HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nval"] * 3):
    half.sendall(text.encode())

# Each half of a sign-in at another instance; what is begun waits for a password.
for number in range(12):
    check(Visitor(number).sign_in("alice" if number % 3 else "bob"), "a new browser is signed in without a password")

# A forgotten password: the page for a new one, then a sign-in. Cancel leads home.
carol = Visitor()
callback, _ = carol.sign_in_at(carol.begin(), action="forgot")
callback, asked = carol.sign_in_at(carol.send("GET", callback)[1]["Location"])
callback, _ = carol.sign_in_at(carol.send("GET", callback)[1]["Location"])
check(asked and carol.send("GET", callback)[1]["Location"] == "/" and carol.tasks() is not None, "a new password does not sign in")
carol = Visitor()
callback, _ = carol.sign_in_at(carol.begin(), action="cancel")
check(carol.send("GET", callback)[1]["Location"] == "/" and carol.tasks() is None, "Cancel leads elsewhere")
check("login" not in carol.own, "the cookie of a sign-in outlives a Cancel")

# A thousand strangers end no sign-in, and need nothing of the provider, which answers no one meanwhile.
waiting, stranger = Visitor(), Visitor()
callback, _ = waiting.sign_in_at(waiting.begin())
os.kill(tenant, signal.SIGSTOP)
try:
    for _ in range(1_100):
        stranger.begin()
finally:
    os.kill(tenant, signal.SIGCONT)
check(waiting.send("GET", callback)[0] == 303, "strangers have ended a visitor's sign-in")

# The cookie of a sign-in: of this browser, unchanged, once.
victim, attacker = Visitor(), Visitor()
sent, _ = attacker.sign_in_at(attacker.begin(), "bob")
check(victim.send("GET", sent)[0] == 403, "a callback of another browser signs in")
own, _ = victim.sign_in_at(victim.begin())
check(victim.send("GET", sent)[0] == 403, "a callback of another sign-in signs in")
sealed = victim.own["login"]
for changed in [sealed[:-8] + "AAAAAAA=", "A" + sealed[1:] if sealed[0] != "A" else "B" + sealed[1:], "ab" * 32]:
    victim.own["login"] = changed
    check(victim.send("GET", own)[0] == 403, "a changed cookie signs in")
victim.own["login"] = sealed
check(victim.send("GET", own)[0] == 303 and victim.tasks() is not None, "an attacker has ended a sign-in")
check("login" not in victim.own, "the cookie of a sign-in outlives it")
victim.own["login"] = sealed
check(victim.send("GET", own)[0] in (400, 401), "a callback works twice")
check("login" not in victim.own, "the cookie of a sign-in outlives an error")

# Two tabs: the second sign-in replaces the first, and can be finished although the first one's callback comes.
tabs = Visitor()
first, _ = tabs.sign_in_at(tabs.begin())
second, _ = tabs.sign_in_at(tabs.begin())
check(tabs.send("GET", first)[0] == 403 and tabs.send("GET", second)[0] == 303 and tabs.tasks() is not None, "two tabs")
for site_of, name, needs in [(ports, "login", []), ([https], "__Host-login", ["Secure"])]:
    first, *rest = Visitor(at=site_of).send("GET", "/login")[1]["Set-Cookie"].split("; ")
    check(first.startswith(name + "=") and len(first) < 4_000, f"the cookie {first[:20]} has {len(first)} bytes")
    wanted = sorted(["HttpOnly", "Max-Age=600", "Path=/", "SameSite=Lax"] + needs)
    check(sorted(rest) == wanted, f"{name} has {rest}")

# A session ends with its sign-out or with the next one of its browser, and no copy of it works again.
alice, other = Visitor(), Visitor(1)
alice.sign_in()
other.sign_in()
first = alice.own["session"]
check(not alice.sign_in(), "the provider has forgotten alice")
second = alice.own["session"]
check(having(first).tasks() is None and having(second).tasks() is not None, "a new sign-in has the old session")
text = alice.send("GET", "/")[2]
check("without a password" in text and "for example Facebook" in text, "the page does not say what is not ended")
check(alice.send("POST", "/logout")[0] == 303 and "session" not in alice.own, "a sign-out failed")
check(not alice.sign_in(), "a sign-out has ended the provider's session, which the page denies")
for cookie in [second, other.own["session"]]:
    check(having(cookie).tasks() is None and having(cookie).send("POST", "/add", {"value": "x"})[0] == 401, "a kept session works")
_, _, text = alice.send("POST", "/logout/provider")
address = html.unescape(re.search('href="([^"]+)"', text)[1])
check(f'content="0; url={html.escape(address)}"' in text, "the browser is not sent to the provider")
back = alice.send("GET", address)[1]["Location"]
check(back.startswith(site) and alice.send("GET", back)[1]["Location"] == "/", f"the provider leads back to {back}")
check(alice.sign_in(), "the provider's session goes on")

# Forms: of this origin alone, as the browser says by either field.
before, added = alice.tasks(), 0
for origin, fetch, fits in [
    (site, None, True), (site, "same-origin", True), (None, "same-origin", True), (None, None, False), ("null", None, False),
    ("http://127.0.0.1:1", None, False), ("http://127.0.0.1:1", "same-origin", False), (site + ".example", None, False),
    (site, "same-site", False), (site, "cross-site", False), (None, "none", False),
]:
    status, _, _ = alice.send("POST", "/add", {"value": "<script>"}, Origin=origin, Sec_Fetch_Site=fetch)
    check(status == (303 if fits else 403), f"a form of {origin}, {fetch}: {status}")
    added += fits
check(alice.tasks() == before + added, "a refused form was obeyed")
check("<script>" not in alice.send("GET", "/")[2], "a title is HTML")
# `send` looks at the headers of each.
for method, url, form, expected in [
    ("GET", "/nothing", None, 404), ("PUT", "/", None, 404), ("POST", "/add", {"other": "x"}, 400), ("POST", "/nothing", None, 404),
    ("POST", "/add", {"value": "x" * 3_000_000}, 413), ("GET", "/callback?code=x&state=y", None, 403), ("GET", "/callback", None, 303),
]:
    status, _, _ = alice.send(method, url, form)
    check(status == expected, f"{method} {url}: {status}, not {expected}")

# An address has a hundred connections, and takes none of the others'.
many = [socket.create_connection(("127.0.0.1", ports[0]), source_address=("127.0.0.2", 0)) for _ in range(130)]
closed = set()
while len(closed) < 30:
    ready, _, _ = select.select(set(many) - closed, [], [], 5)
    check(ready, f"{len(closed)} of 130 connections are refused")
    closed.update(ready)
check(len(closed) == 30 and alice.tasks() is not None, f"{len(closed)} of 130 connections are refused")
for half in halves:
    half.settimeout(20)
    try:
        while half.recv(4_096):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        check(False, "half a request keeps its connection")
print(f"task-server: {len(ports)} instances hold")
