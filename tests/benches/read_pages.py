"""Other people's readers over the pages of a folder, one round for each line of input.

`selectolax` parses every page that has markup and asks six selectors of it; `extruct` reads all markup it knows from
every page that has none. Answers with microseconds of processor time a page.
"""

import sys
import time
from pathlib import Path

import extruct
from selectolax.lexbor import LexborHTMLParser

SELECTORS = ["h1", ".facts", "title", "link[rel=canonical]", "a.apply", "script[type='application/ld+json']"]


def select(html: str) -> int:
    tree = LexborHTMLParser(html)
    found = 0
    for selector in SELECTORS:
        node = tree.css_first(selector)
        if node is not None and (node.text() or node.attributes):
            found += 1
    return found


def pages(kind: str) -> list[str]:
    return [path.read_text() for path in sorted(Path(sys.argv[1]).glob(f"{kind}-*.html"))]


def main() -> None:
    marked, plain = pages("marked"), pages("plain")
    if any(select(html) != len(SELECTORS) for html in marked):
        sys.exit("a selector found nothing: the pages have changed")
    for line in sys.stdin:
        word = line.strip()
        read, over = (select, marked) if word == "selectolax" else (extruct.extract, plain)
        begin = time.process_time()
        for html in over:
            read(html)
        print((time.process_time() - begin) * 1e6 / len(over), flush=True)


main()
