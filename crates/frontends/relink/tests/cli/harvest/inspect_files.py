"""Parses the feeds and the spreadsheet of a provider and prints what they contain."""
import json
import sys

import feedparser
import openpyxl

directory = sys.argv[1]
result = {}
for kind in ["rss", "atom"]:
    feed = feedparser.parse(f"{directory}/lre.{kind}")
    result[kind] = {"bozo": bool(feed.bozo), "ids": [entry.id for entry in feed.entries]}
sheet = openpyxl.load_workbook(f"{directory}/lre.xlsx").active
cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
result["xlsx"] = {
    "types": sorted({cell.data_type for cell in cells}),
    "records": [row[2].value for row in list(sheet.iter_rows())[1:]],
}
print(json.dumps(result))
