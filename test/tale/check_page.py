#!/usr/bin/env python3
"""Is this file one HTML page that holds together, and needs nothing else?

usage: check_page.py FILE

Prints what is wrong, a line each, and exits with 1; says nothing otherwise.
"""

import html.parser
import sys

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link",
        "meta", "source", "track", "wbr"}
FETCHES = {"src", "srcset", "data", "poster", "action"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.open, self.wrong = [], []
        self.ids, self.targets = set(), []
        self.raw = False

    def complain(self, what):
        self.wrong.append(f"{self.getpos()[0]}: {what}")

    def handle_decl(self, decl):
        if decl != "DOCTYPE html" or self.open:
            self.complain(f"<!{decl}>")

    def look_at(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.complain(f"<{tag}> has an attribute twice")
        for name, value in attributes:
            value = value or ""
            if name == "id" and value in self.ids:
                self.complain(f"the id {value} is there twice")
            if name == "id":
                self.ids.add(value)
            if name in FETCHES:
                self.complain(f"<{tag} {name}> fetches something")
            if name in ("href", "xlink:href") and value[:1] == "#":
                self.targets.append((self.getpos()[0], value[1:]))
            elif name in ("href", "xlink:href") and value != "data:,":
                self.complain(f"<{tag} {name}> leads elsewhere: {value}")
            if "url(" in value:
                inside = value.split("url(", 1)[1].split(")")[0]
                self.targets.append((self.getpos()[0], inside.lstrip("#")))

    def handle_starttag(self, tag, attributes):
        self.look_at(tag, attributes)
        self.raw = tag in ("script", "style")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.look_at(tag, attributes)
        if "svg" not in self.open:
            self.complain(f"<{tag}/> outside of a picture")

    def handle_endtag(self, tag):
        self.raw = False
        if not self.open or self.open[-1] != tag:
            self.complain(f"</{tag}> closes {self.open[-1:] or 'nothing'}")
        elif self.open:
            self.open.pop()

    def handle_data(self, data):
        if self.raw and ("@import" in data or "url(" in data):
            self.complain("a style or script fetches something")
        if not self.raw and ("<" in data or "\x00" in data):
            self.complain("text that was to be escaped")

    def finish(self):
        self.close()
        if self.open:
            self.wrong.append(f"not closed: {self.open}")
        for line, target in self.targets:
            if target not in self.ids:
                self.wrong.append(f"{line}: there is no id {target}")
        return self.wrong


def main():
    page = Page()
    with open(sys.argv[1], encoding="utf-8") as file:
        page.feed(file.read())
    wrong = page.finish()
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
