#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The ledger of `cairn info`, computed a second time: the buffer's frames by a deformatter of this
test's own, the sources' accounts from the packet listing and the gap records of the flow.

usage: test_ledger.py CAIRN
"""
import random
import sys
import tempfile

from common import (EXAMPLE_D11_1_1, START, Folder, Tap, bytes_of, captures, expect, frames,
                    gaps_that_matter, run)

NULL_IDS = {0x00, 0x7e, 0x7f} | set(range(0x70, 0x7d))
TRIGGER_ID = 0x7d
FRAME = 16


def deformat(data):
    """Memory-aligned formatter frames: ({id: bytes}, framing bytes, bytes before the first ID)."""
    sizes, framing, no_id, current = {}, 0, 0, None
    for at in range(0, len(data) - FRAME + 1, FRAME):
        frame = data[at:at + FRAME]
        framing += 1  # the auxiliary byte
        for even in range(0, FRAME - 1, 2):
            following = None
            if frame[even] & 1:
                framing += 1
                following = frame[even] >> 1
                delayed = frame[15] >> even // 2 & 1
                if not delayed:
                    current, following = following, None
                count = 1
            else:
                count = 2
            count -= even == FRAME - 2  # byte 15 is no data
            if current is None:
                no_id += count
            else:
                sizes[current] = sizes.get(current, 0) + count
            if following is not None:
                current = following
    return sizes, framing, no_id


def used(source):
    """The accounts of a source that have bytes: all of them are in its ledger."""
    return {account: count for account, count in source['ledger'].items() if count}


def source_accounts(cairn, arguments, source):
    """The accounts of one source, and what is wrong with its packets."""
    wanted = ['--format', 'json', '--source', source, *arguments]
    accounts, packets, problems, at = {}, {}, [], 0
    for row in run(cairn, 'packets', *wanted).rows():
        if row['offset'] != at:
            problems.append('bytes %d to %d are in no packet or in two' % (at, row['offset']))
        at = row['offset'] + row['length']
        accounts[row['account']] = accounts.get(row['account'], 0) + row['length']
        packets[row['offset']] = row
    moved = set()
    for row in run(cairn, 'flow', '--ranges', *wanted).rows():
        if row['type'] != 'gap':
            continue
        packet = packets.get(row['offset'])
        if packet is None or packet['length'] != row['length']:
            problems.append('a gap that is no packet: %r' % row)
        elif packet['account'] in ('flow', 'metadata'):
            if row['offset'] in moved:
                problems.append('two gaps for one packet: %r' % row)
            moved.add(row['offset'])
            accounts[packet['account']] -= row['length']
            accounts[row['reason']] = accounts.get(row['reason'], 0) + row['length']
        elif packet['account'] != row['reason']:
            problems.append('a gap %r for a packet of %s' % (row, packet['account']))
    return {key: value for key, value in accounts.items() if value}, at, problems


def check_packets_only(cairn, arguments, source):
    """What would decide the flow is no flow yet."""
    accounts = {}
    for row in run(cairn, 'packets', '--format', 'json', '--source', source['name'],
                   *arguments).rows():
        if row['type'] == 'packet':
            account = 'not_decoded' if row['account'] == 'flow' else row['account']
            accounts[account] = accounts.get(account, 0) + row['length']
    yield from expect('accounts of packets alone', used(source), accounts)
    yield from expect('bytes in packets', sum(accounts.values()), source['bytes'])


def check_source(cairn, arguments, source):
    if not source['bytes']:
        yield from expect('an empty source', used(source), {})
        return
    if source['packets_only']:
        yield from check_packets_only(cairn, arguments, source)
        return
    if not source['decoded']:
        yield from expect('not decoded', used(source), {'not_decoded': source['bytes']})
        return
    accounts, end, problems = source_accounts(cairn, arguments, source['name'])
    yield from problems
    yield from expect('bytes in packets', end, source['bytes'])
    yield from expect('accounts', used(source), accounts)


def check_buffer(buffer, sources):
    """The file's size is framing and synchronisation and every source's accounts."""
    with open(buffer['path'], 'rb') as file:
        data = file.read()
    ledger = buffer['ledger']
    total = sum(ledger.values()) + sum(sum(source['ledger'].values()) for source in sources)
    yield from expect('total', total, len(data))
    yield from expect('adds_up', (buffer['adds_up'], buffer['accounted']), (True, len(data)))
    if buffer['format'] == 'source_data':
        yield from expect('a buffer without frames', sum(ledger.values()), 0)
    elif buffer['format'] == 'coresight' and b'\xff\xff\xff\x7f' not in data:
        sizes, framing, no_id = deformat(data)
        null = sum(size for id_, size in sizes.items() if id_ in NULL_IDS)
        yield from expect('framing', ledger['framing'], framing)
        yield from expect('null IDs', ledger['null_id'], null)
        yield from expect('trigger ID', ledger['trigger_id'], sizes.get(TRIGGER_ID, 0))
        yield from expect('before the first ID', ledger['no_id'], no_id)
        yield from expect('incomplete frame', ledger['truncated'], len(data) % FRAME)
        for source in sources:
            yield from expect(source['name'], source['bytes'], sizes.get(source['trace_id'], 0))


def check_capture(tap, cairn, name, *arguments):
    answer = run(cairn, 'info', '--format', 'json', *arguments)
    info = answer.rows()[0]
    for source in info['sources']:
        tap.case('%s %s' % (name, source['name']), check_source(cairn, arguments, source))
    gaps = False
    for index, buffer in enumerate(info['buffers']):
        of_it = [source for source in info['sources'] if source['buffer'] == index]
        tap.case('%s %s: the file' % (name, buffer['name']), check_buffer(buffer, of_it))
        gaps |= bool(buffer['ledger']['truncated'])
    gaps |= any(gaps_that_matter(cairn, source, *arguments) for source in info['sources'])
    tap.case('%s: exit status' % name, expect('status', answer.status, int(gaps)))


def check_filtered(cairn, trace):
    """With --source the bytes of the others are accounted for all the same."""
    answer = run(cairn, 'info', '--format', 'json', '--source', '0x22', '--protocol', 'ete',
                 '--frames', 'coresight', trace)
    info = answer.rows()[0]
    yield from expect('adds_up', info['buffers'][0]['adds_up'], True)
    for source in info['sources']:
        if source['trace_id'] == 0x11:
            yield from expect('the other source', used(source), {'filtered': source['bytes']})


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        ete = ['--protocol', 'ete']
        image = folder.program()
        plain = folder.write('plain.bin', EXAMPLE_D11_1_1)
        check_capture(tap, cairn, 'raw', *ete, *image, plain)
        check_capture(tap, cairn, 'raw without an image', *ete, plain)
        damaged = folder.write('damaged.bin', bytes_of('F7 F7 F6') + EXAMPLE_D11_1_1 +
                               bytes_of('07 07 F7') + START + bytes_of('F7 9D 01'))
        check_capture(tap, cairn, 'raw with damage', *ete, *image, damaged)
        mixed = frames([(0x11, EXAMPLE_D11_1_1), (0x22, damaged.encode() + EXAMPLE_D11_1_1),
                        (0x7d, bytes(13)), (0x70, bytes(26))])
        two = folder.write('two.bin', mixed + b'\x23\x01')
        check_capture(tap, cairn, 'frames', *ete, '--frames', 'coresight', *image, two)
        tap.case('frames, one source', check_filtered(cairn, two))
        chance = random.Random(2024)
        for number in range(8):
            noise = bytearray(EXAMPLE_D11_1_1 * 40)
            for _ in range(chance.randrange(1, 60)):
                noise[chance.randrange(len(noise))] = chance.randrange(256)
            trace = folder.write('noise%d.bin' % number, bytes(noise))
            check_capture(tap, cairn, 'noise %d' % number, *ete, '--frames', 'none', *image, trace)
    real = captures()
    if real is None:
        tap.skip('snapshots', 'CAIRN_CAPTURES is not set')
    for name, path in real or []:
        check_capture(tap, cairn, name, path)
    tap.end()


if __name__ == '__main__':
    main()
