#!/usr/bin/env python3
"""Copies the inputs that reach most to a folder: choose.py MERGE_CONTROL_FILE FOLDER [BYTES [FILES]].

The control file is what libFuzzer writes for -merge=1 -merge_control_file=…: the inputs, and the edges each of them reaches.
"""

import hashlib
import pathlib
import sys


def read(path):
    """The inputs of a control file with the edges that each reaches."""
    lines = path.read_text().splitlines()
    count = int(lines[0])
    names, edges = lines[2 : 2 + count], {}
    for line in lines[2 + count :]:
        kind, *numbers = line.split()
        if kind == "COV":
            edges[int(numbers[0])] = set(map(int, numbers[1:]))
    return [(pathlib.Path(names[at]), reached) for at, reached in sorted(edges.items())]


def choose(inputs, most_bytes, most_files):
    """Takes, one after the other, the input that reaches most that is new for its size."""
    known, bytes_, files = set(), 0, 0
    left = [(path, path.read_bytes(), edges) for path, edges in inputs if path.is_file()]
    while left and files < most_files:
        best = max(left, key=lambda input: (len(input[2] - known) / (len(input[1]) + 400), input[0].name))
        left.remove(best)
        path, content, edges = best
        if not edges - known:
            break
        if bytes_ + len(content) > most_bytes:
            continue
        known |= edges
        bytes_, files = bytes_ + len(content), files + 1
        yield content
    every = set().union(*(edges for _, edges in inputs)) if inputs else set()
    print(f"{files} files, {bytes_} bytes, {len(known)} of {len(every)} edges", file=sys.stderr)


def main():
    control, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    most_bytes = int(sys.argv[3]) if len(sys.argv) > 3 else 24_000
    most_files = int(sys.argv[4]) if len(sys.argv) > 4 else 36
    for content in choose(read(control), most_bytes, most_files):
        (folder / f"found-{hashlib.sha1(content).hexdigest()[:8]}").write_bytes(content)


if __name__ == "__main__":
    main()
