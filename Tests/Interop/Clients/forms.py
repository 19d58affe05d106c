"""The forms of an HTML page, for clients without a browser."""

from html.parser import HTMLParser


class Forms(HTMLParser):
    """The forms of a page with their fields and buttons."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.button = [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        field = dict(attributes)
        if tag == "form":
            self.forms.append({"action": field.get("action") or "", "method": (field.get("method") or "get").lower(), "fields": {}, "types": {}, "buttons": []})
        elif not self.forms:
            return
        elif tag == "input" and field.get("type", "text").lower() in ("submit", "button", "image"):
            self.forms[-1]["buttons"].append((field.get("name"), field.get("value") or "", field.get("value") or "", "formnovalidate" in field))
        elif tag == "input" and field.get("name"):
            self.forms[-1]["fields"][field["name"]] = field.get("value") or ""
            self.forms[-1]["types"][field["name"]] = field.get("type", "text").lower()
        elif tag == "button":
            self.button = (field.get("name"), field.get("value") or "")
            self.forms[-1]["buttons"].append((*self.button, "", "formnovalidate" in field))

    def handle_data(self, data):
        if self.button and self.forms:
            name, value, text, skips = self.forms[-1]["buttons"][-1]
            self.forms[-1]["buttons"][-1] = (name, value, text + data.strip(), skips)

    def handle_endtag(self, tag):
        if tag == "button":
            self.button = None
