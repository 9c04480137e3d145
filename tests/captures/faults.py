#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Faults injected into captures: only the segments that they hit change, and the ledger still adds up.

usage: faults.py CAIRN TOP

A segment is the bytes of a source from one alignment synchronisation to the next. The faults change
bytes of packets, never the frames around them. What a segment without a fault says (packets, flow, gaps)
must stay as it was; a segment with a fault may say anything, but its bytes stay accounted for. Not
compared is what a listing tells only because it changed (a context after another context), or because of
what stood before (the first range after a discontinuity; the high bits of a timestamp).
"""
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
import cairn_cli  # noqa: E402
from compare import check_buffers, check_ledger  # noqa: E402
from tap import Tap  # noqa: E402

FRAME = 16
SNAPSHOTS = ('juno-ret-stck', '001-ack_test', 'maxspec0_commopt1', 'rme_test', 'ete_spec_2')
FAULTS = (1, 3, 8)
SEED = 20240607


def segments(rows):
    """[(first byte, end)] of the source's segments; the bytes before the first one are one too."""
    starts = [0] + [row['offset'] for row in rows if row['kind'] == 'ALIGNMENT_SYNC']
    end = rows[-1]['offset'] + rows[-1]['length'] if rows else 0
    return [(a, b) for a, b in zip(starts, starts[1:] + [end]) if a < b]


def places(rows, framed):
    """(offset in the source, offset in the file) of bytes that may be damaged. In a frame that is an odd
    place: even ones hold the bits that tell IDs from data, the last one the low bits of them all."""
    for row in rows:
        # only the first byte's place in the file is listed; without frames the others follow it
        for at in range(1 if framed else row['length']):
            offset = row['file_offset'] + at
            if not framed or (offset % 2 and offset % FRAME != FRAME - 1):
                yield row['offset'] + at, offset


def damage(rows, data, framed, count, rng):
    """Changes `count` bytes of the source's packets in `data`; returns their offsets in the source."""
    candidates = list(places(rows, framed))
    chosen = rng.sample(candidates, min(count, len(candidates)))
    for _, offset in chosen:
        data[offset] ^= rng.randrange(1, 256)
    return {at for at, _ in chosen}


PACKET = ('offset', 'length', 'type', 'kind', 'account')
RANGE = ('offset', 'length', 'type', 'address', 'end', 'isa', 'instructions', 'p0', 'reason')


def plain(items, names):
    return [{name: item[name] for name in names if name in item} for item in items
            if item['type'] in ('packet', 'range', 'gap')]


def untouched(items, hit, parts):
    """What lies in segments without a fault."""
    clean = [(a, b) for a, b in parts if not any(a <= h < b for h in hit)]
    return [item for item in items if any(a <= item['offset'] < b for a, b in clean)]


def check(cairn, capture, source, before, hit):
    rows, records = before
    parts = segments(rows)
    info = cairn_cli.info(cairn, capture)
    yield from check_buffers(info)
    after = next(s for s in info['sources'] if s['name'] == source)
    rows_after = cairn_cli.packets(cairn, capture, source)
    yield from check_ledger(cairn, capture, after, rows_after)
    flow = cairn_cli.records(cairn, capture, source)
    for what, old, new in (('packets', plain(rows, PACKET), plain(rows_after, PACKET)),
                           ('flow', plain(records, RANGE), plain(flow, RANGE))):
        old, new = untouched(old, hit, parts), untouched(new, hit, parts)
        if old != new:
            at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
            yield 'faults at %s: %s of a segment that was not hit changed, from %s to %s' % \
                (sorted(hit), what, old[at:at + 2], new[at:at + 2])


def with_damaged(capture, buffer, run):
    """Calls run(copy, data) with a copy of the snapshot whose trace file is a private one."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(capture))
        trace = os.path.relpath(buffer['path'], capture)
        os.mkdir(copy)
        for name in os.listdir(capture):
            if name != trace:
                os.symlink(os.path.abspath(os.path.join(capture, name)), os.path.join(copy, name))
        with open(buffer['path'], 'rb') as file:
            clean = file.read()
        target = os.path.join(copy, trace)
        shutil.copyfile(buffer['path'], target)

        def write(data):
            with open(target, 'wb') as file:
                file.write(data)
        run(copy, clean, write)


def inject(tap, cairn, capture):
    name = os.path.basename(capture)
    info = cairn_cli.info(cairn, capture)
    for source in info['sources']:
        if not source['decoded'] or not source['bytes']:
            continue
        buffer = info['buffers'][source['buffer']]
        framed = buffer['format'] != 'source_data'
        rows = cairn_cli.packets(cairn, capture, source['name'])
        before = rows, cairn_cli.records(cairn, capture, source['name'])
        rng = random.Random(SEED)

        def run(copy, clean, write):
            for count in FAULTS:
                data = bytearray(clean)
                hit = damage(rows, data, framed, count, rng)
                write(data)
                tap.case('%s %s: %d segments, %d faults' % (name, source['name'],
                                                            len(segments(rows)), count),
                         check(cairn, copy, source['name'], before, hit))
        with_damaged(capture, buffer, run)


def main():
    cairn, top = sys.argv[1:3]
    tap = Tap()
    inject(tap, cairn, os.path.join(top, 'examples', 'capture'))
    captures = os.environ.get('CAIRN_CAPTURES')
    if captures:
        for name in SNAPSHOTS:
            inject(tap, cairn, os.path.join(captures, 'snapshots', name))
    else:
        tap.skip('faults in real captures', 'CAIRN_CAPTURES is not set')
    tap.end()


if __name__ == '__main__':
    main()
