"""Runs an operation of GEGL on a picture: gegl_filter.py IN OUT OPERATION [NAME=VALUE …]. GEGL_USE_OPENCL says with what.
(The program `gegl` turns OpenCL off whatever that says.)"""
import os
import sys

import gi

gi.require_version("Gegl", "0.4")
from gi.repository import Gegl

source, target, operation, *properties = sys.argv[1:]
Gegl.init(None)
wanted = os.environ["GEGL_USE_OPENCL"] != "no"
if Gegl.config().get_property("use-opencl") != wanted:
    sys.exit("GEGL found no device of OpenCL that it wants" if wanted else "GEGL uses OpenCL")
graph = Gegl.Node()
load, filter, save = (graph.create_child(f"gegl:{name}") for name in ["load", operation, "png-save"])
load.set_property("path", source)
save.set_property("path", target)
for name, value in (p.split("=") for p in properties):
    filter.set_property(name, float(value) if "." in value else int(value))
load.link(filter)
filter.link(save)
save.process()
