"""The same crawl by a tuned Scrapy: fetch each page and append its bytes to one file. It keeps no rows, hashes
nothing and compresses nothing, so it does less than we do. Prints seconds, processor seconds and peak MB."""

import resource
import sys
import time

import scrapy
from scrapy.crawler import CrawlerProcess


class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {
        "CONCURRENT_REQUESTS": 64,
        # One request of a site at a time, as everyone else here.
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "ROBOTSTXT_OBEY": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "HTTPCACHE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        # Off: what a crawl of known addresses does not need.
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "MEMUSAGE_ENABLED": False,
    }

    async def start(self):
        for number in range(first, first + pages):
            port = ports[number % len(ports)]
            # Scrapy spaces by host name; a port is a site here.
            yield scrapy.Request(f"http://127.0.0.1:{port}/jobs/{number}", meta={"download_slot": port})

    def parse(self, response):
        global stored
        assert response.status == 200 and len(response.body) > 60_000
        raw.write(response.body)
        stored += 1


ports, first, pages = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3])
stored = 0
with open(sys.argv[4], "wb") as raw:
    process = CrawlerProcess({"LOG_LEVEL": "ERROR"})
    process.crawl(Pages)
    started = time.monotonic()
    process.start()
    seconds = time.monotonic() - started
assert stored == pages, f"{stored} of {pages} pages"
usage = resource.getrusage(resource.RUSAGE_SELF)
print(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
