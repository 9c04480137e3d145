# SPDX-License-Identifier: BSD-2-Clause
"""Cairn's flow as perf script lists it.

Two kinds of perf's lines are none of Cairn's branches, and follow from what both list. FROM => 0: the instruction at which
an exception was taken, which perf counts as a branch to nowhere, unless nothing follows it or was before it. 0 => TO: where the trace goes
on behind a Trace On."""
import json


def rows_of(text):
    return map(json.loads, text.splitlines())


def listed(rows):
    """Cairn's flow as perf would list it: addresses of instructions, and (from, to)."""
    instructions, branches = [], []
    last, branch = None, None  # the instruction that was last; the one of these that branched
    for row in rows:
        kind = row['type']
        if kind == 'range':
            begin, end = int(row['address'], 16), int(row['end'], 16)
            instructions += range(begin, end, 4)
            if branch is not None:
                branches.append((branch, begin))
            elif last is None:
                branches.append((0, begin))
            last = end - 4
            branch = last if row['p0'] == 'E' else None
        elif kind == 'exception' and last is not None:
            branches.append((branch if branch is not None else last, 0))
            branch = None
        elif kind == 'trace_on':
            last = branch = None
    return instructions, branches[:-1] if branches[-1:] == [(last, 0)] else branches


def difference(what, mine, theirs):
    if mine == theirs:
        return [] if len(mine) > 100 else ['%s: only %d' % (what, len(mine))]
    at = next((n for n, (one, other) in enumerate(zip(mine, theirs)) if one != other), min(len(mine), len(theirs)))
    return ['%s: %d, of perf %d; number %d: %r, of perf %r' % (what, len(mine), len(theirs), at, mine[at:at + 4], theirs[at:at + 4])]
