"""Commands of gdb for kernels that Lanewise runs: `source lanewise.py`.

  work-item   says which work-item the current frame runs
  item-next   goes to the next line of the same work-item, also across barriers

Backtraces show kernels and the program, and leave out the driver in between; `bt -no-filters` shows all.
Kernels must be built with -g; lines and variables are exact with -cl-opt-disable.
"""

import gdb

ID = "__global_id"


def is_ours(name, file):
    """Whether a frame is the driver's, and not a kernel's or the program's."""
    wrapper = name and (".mux-" in name and "-wrapper" in name or name.endswith("host-entry-hook"))
    rust = file and file.endswith(".rs")
    return bool(wrapper or rust)


class HideDriver:
    """A frame filter that leaves out the frames of the driver."""

    def __init__(self):
        self.name, self.priority, self.enabled = "lanewise", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (f for f in frames if not is_ours(str(f.function()), f.filename()))


def current_id():
    """The global ID of the work-item that the current frame runs, or None."""
    try:
        value = gdb.selected_frame().read_var(ID)
        return tuple(int(value[d]) for d in range(3))
    except (ValueError, gdb.error):
        return None


class WorkItem(gdb.Command):
    """Says which work-item the current frame runs; the first one of a vector in vector code."""

    def __init__(self):
        super().__init__("work-item", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        ids = current_id()
        if ids is None:
            raise gdb.GdbError("no kernel is in this frame, or it was built without -g")
        print("global ID (%d, %d, %d)" % ids)


class ItemNext(gdb.Command):
    """Goes to the next line of the same work-item, also across a barrier."""

    def __init__(self):
        super().__init__("item-next", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        ids = current_id()
        if ids is None:
            raise gdb.GdbError("no kernel is in this frame, or it was built without -g")
        # Across a barrier other work-items run first, and `next` would not stop: any other line of this
        # work-item is the next one, too.
        condition = " && ".join("%s[%d] == %d" % (ID, d, ids[d]) for d in range(3))
        stops = []
        for place in other_lines(gdb.selected_frame()):
            stop = gdb.Breakpoint(place, internal=True)
            stop.silent, stop.condition = True, condition
            stops.append(stop)
        try:
            gdb.execute("next", to_string=True)
            gdb.execute("frame")
        finally:
            for stop in stops:
                if stop.is_valid():
                    stop.delete()


def other_lines(frame):
    """The other lines of a frame's function, in all parts that barriers cut it into."""
    place = frame.find_sal()
    lines = set()
    for entry in place.symtab.linetable():
        function = gdb.block_for_pc(entry.pc).function
        if function and function.name == frame.name() and entry.line not in (0, place.line, function.line):
            lines.add(entry.line)
    return ["%s:%d" % (place.symtab.fullname(), line) for line in sorted(lines)]


HideDriver()
WorkItem()
ItemNext()
