"""Writes what darktable is tested with to a directory: a raw picture as of a camera, picture.dng (a Bayer pattern of 16
bits, from a formula), and a list of what darktable is to do with it, history.xmp."""
import math
import pathlib
import struct
import sys

WIDTH, HEIGHT = 640, 480
BYTE, TEXT, SHORT, LONG, RATIO, SIGNED_RATIO = 1, 2, 3, 4, 5, 10
FORMATS = {BYTE: "B", SHORT: "H", LONG: "I"}


def sample(x, y):
    """The red, green or blue at a place: waves of several lengths, and edges."""
    channel = [0, 1, 1, 2][y % 2 * 2 + x % 2]
    value = 0.25 + 0.15 * math.sin(x / (9 + 4 * channel)) + 0.1 * math.cos((y - x / 3) / 17 + channel)
    value += 0.15 * ((x // 80 + y // 60) % 2)
    return min(16383, int(512 + 15000 * value))


def ratios(*values, scale=10000):
    return [part for value in values for part in (round(value * scale), scale)]


pixels = struct.pack(f"<{WIDTH * HEIGHT}H", *(sample(x, y) for y in range(HEIGHT) for x in range(WIDTH)))
# (tag, type, values), in the order of their numbers; the pixels begin at byte 8.
tags = [
    (254, LONG, [0]), (256, LONG, [WIDTH]), (257, LONG, [HEIGHT]), (258, SHORT, [16]), (259, SHORT, [1]),
    (262, SHORT, [32803]), (271, TEXT, b"Lanewise\0"), (272, TEXT, b"Formula\0"), (273, LONG, [8]),
    (274, SHORT, [1]), (277, SHORT, [1]), (278, LONG, [HEIGHT]), (279, LONG, [len(pixels)]), (284, SHORT, [1]),
    (33421, SHORT, [2, 2]), (33422, BYTE, [0, 1, 1, 2]), (50706, BYTE, [1, 4, 0, 0]),
    (50708, TEXT, b"Lanewise Formula\0"), (50714, SHORT, [512]), (50717, SHORT, [16383]),
    # From XYZ to the camera's colours: those of a display in sRGB.
    (50721, SIGNED_RATIO, ratios(3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.204, 1.057)),
    (50728, RATIO, ratios(0.6, 1.0, 0.7)), (50778, SHORT, [21]),
]
directory, more = struct.pack("<H", len(tags)), b""
start = 8 + len(pixels)
end = start + 2 + 12 * len(tags) + 4
for tag, kind, values in tags:
    if kind == TEXT:
        count, data = len(values), values
    elif kind in FORMATS:
        count, data = len(values), struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)
    else:
        count, data = len(values) // 2, struct.pack(f"<{len(values)}i", *values)
    if len(data) > 4:
        data, more = struct.pack("<I", end + len(more)), more + data + b"\0" * (len(data) % 2)
    directory += struct.pack("<HHI4s", tag, kind, count, data)
# The modules, the version of their parameters and those, as they are in darktable's memory.
modules = [
    ("sharpen", 1, struct.pack("<3f", 2, 0.5, 0.5)),
    ("nlmeans", 2, struct.pack("<4f", 2, 50, 0.5, 1)),
    ("bilat", 3, struct.pack("<I4f", 1, 0.5, 0.5, 1.25, 0.5)),
    ("velvia", 2, struct.pack("<2f", 25, 1)),
    ("vibrance", 2, struct.pack("<f", 25)),
    ("soften", 1, struct.pack("<4f", 30, 100, 0.33, 30)),
]
entries = "".join(
    f'<rdf:li darktable:num="{i}" darktable:operation="{name}" darktable:enabled="1" darktable:modversion="{version}"'
    f' darktable:params="{values.hex()}" darktable:multi_name="" darktable:multi_priority="0"/>'
    for i, (name, version, values) in enumerate(modules))
history = f"""<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="4"
darktable:auto_presets_applied="0" darktable:history_end="{len(modules)}">
<darktable:history><rdf:Seq>{entries}</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>
"""
place = pathlib.Path(sys.argv[1])
(place / "history.xmp").write_text(history)
with open(place / "picture.dng", "wb") as file:
    file.write(struct.pack("<2sHI", b"II", 42, start) + pixels + directory + struct.pack("<I", 0) + more)
