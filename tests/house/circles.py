#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Which object files of the library need each other in a circle, as the linker sees it.

usage: circles.py LIBRARY.a                  lists the circles, the largest first
       circles.py --test LIBRARY.a           the same as a test: circles stay inside a folder, and small
       circles.py --needs LIBRARY.a FILE     which files FILE needs (src/...), with the symbols that say so
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402

# A circle of more files is one too many to read at once. One noun in several files is fine.
LARGEST = 9


def source_of(member):
    """'src_protocol_etmv3_parse.c.o' -> 'src/protocol/etmv3/parse.c', by what there is on disk."""
    name = member[:-2]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parts = name.split('_')

    def walk(folder, at):
        rest = '_'.join(parts[at:])
        if os.path.isfile(os.path.join(root, folder, rest)):
            return os.path.join(folder, rest)
        for end in range(at + 1, len(parts)):
            inner = os.path.join(folder, '_'.join(parts[at:end]))
            if os.path.isdir(os.path.join(root, inner)):
                found = walk(inner, end)
                if found:
                    return found
        return None

    return walk('', 0) or name


def read(library):
    """file -> {file it needs -> symbols}."""
    text = subprocess.run(['nm', '-A', library], check=True, capture_output=True, text=True).stdout
    defined, needed = {}, {}
    for line in text.splitlines():
        match = re.match(r'^.*?[:\[]([^:\[\]]+\.o)\]?:\s*(?:[0-9a-f]+)?\s+(\w)\s+(\S+)$', line)
        if not match:
            continue
        member, kind, symbol = match.groups()
        needed.setdefault(member, set())
        if kind == 'U':
            needed[member].add(symbol)
        elif kind.isupper():
            defined[symbol] = member
    names = {member: source_of(member) for member in needed}
    graph = {}
    for member, symbols in needed.items():
        edges = graph.setdefault(names[member], {})
        for symbol in sorted(symbols):
            other = defined.get(symbol)
            if other and other != member:
                edges.setdefault(names[other], []).append(symbol)
    return graph


def circles(graph):
    """The strongly connected parts of more than one file (Tarjan's way, without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, edges = work[-1]
            for other in edges:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while True:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                        if part[-1] == node:
                            break
                    if len(part) > 1:
                        found.append(sorted(part))
    return sorted(found, key=lambda part: (-len(part), part))


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[0] == '--needs':
        for other, symbols in sorted(read(arguments[1]).get(arguments[2], {}).items()):
            print(f"{other}: {' '.join(symbols)}")
        return
    testing = arguments[:1] == ['--test']
    if len(arguments) != 1 + testing:
        sys.exit(__doc__.strip())
    graph = read(arguments[-1])
    parts = circles(graph)
    if not testing:
        print(f'{len(graph)} files, {len(parts)} circles')
        for part in parts:
            print(f"{len(part):3} {' '.join(part)}")
        return
    tap = Tap()
    tap.case('the library has files, and they need each other',
             [] if len(graph) > 100 and any(graph.values()) else ['nm told nothing'])
    tap.case(f'no circle of more than {LARGEST} files',
             [f"{len(part)}: {' '.join(part)}" for part in parts if len(part) > LARGEST])
    tap.case('no circle through two folders',
             [' '.join(part) for part in parts if len({os.path.dirname(file) for file in part}) > 1])
    tap.end()


if __name__ == '__main__':
    main()
