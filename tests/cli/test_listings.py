#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The listings of small captures made by hand: what is printed, in every format.

usage: test_listings.py CAIRN
"""
import os
import sys
import tempfile

from common import (EXAMPLE_ADDRESSES, EXAMPLE_D11_1_1, EXAMPLE_PROGRAM, FRAME_DATA, IGNORE, START,
                    Folder, Tap, bytes_of, expect, expect_in, frames, run, words)

ETE = ['--protocol', 'ete']

# T32 (IS1 addresses, D5.57) at 0x2000 in AArch32: NOP; MOV.W R0, #0; BEQ 0x200a; NOP; BX LR.
T32_TRACE = bytes(11) + bytes_of('80' '01 00' '04' '83 00 20 00 00 21' 'DB')
T32_CODE = bytes_of('00 BF' '4F F0 00 00' '00 D0' '00 BF' '70 47')
T32_ADDRESSES = ['2000', '2002', '2006 E', '200a E']

# Two sources with timestamps (D5.9: 02, then the value low bits first), an E behind each.
#   A: 0x10, E, 0x30, E     B: 0x20, E, 0x40, E     each E is the branch-to-self at 0x1000
LOOP = {0x1000: [0x14000000]}  # B .
TIMES_A = START + bytes_of('02 10' 'F7' '02 30' 'F7')
TIMES_B = START + bytes_of('02 20' 'F7' '02 40' 'F7')


def instructions(answer):
    return [line for line in answer.lines() if not line.startswith('#')]


def check_addresses(cairn, trace, image):
    answer = run(cairn, 'flow', '--format', 'addresses', *ETE, *image, trace)
    yield from expect('status', answer.status, 0)
    yield from expect('instructions', instructions(answer), EXAMPLE_ADDRESSES)
    events = [line for line in answer.lines() if line.startswith('#')]
    yield from expect('events', events[1:], ['# trace info', '# trace on',
                                             '# context EL1 Non-secure AArch64',
                                             '# exception IRQ at 0x2014'])
    yield from expect_in('source', '# source trace.bin', events[0])
    yield from expect('last line', answer.lines()[-1], '# exception IRQ at 0x2014')


def check_gap(cairn, trace, image):
    """Without the memory at 0x2000 the branch is followed and the rest is a gap with its address."""
    answer = run(cairn, 'flow', '--format', 'addresses', *ETE, *image[:2], trace)
    yield from expect('status', answer.status, 1)
    yield from expect('instructions', instructions(answer), ['1000 E'])
    gaps = [line for line in answer.lines() if line.startswith('# gap')]
    yield from expect('first gap', gaps[:1], ['# gap no-image 0x2000 bytes 1'])


def check_packets(cairn, trace):
    rows = run(cairn, 'packets', '--format', 'json', *ETE, trace).rows()
    short = [(row['offset'], row['file_offset'], row['length'], row['bytes'], row['kind'])
             for row in rows]
    yield from expect('packets', short, [
        (0, 0, 12, '00' * 11 + '80', 'ALIGNMENT_SYNC'),
        (12, 12, 2, '0100', 'TRACE_INFO'),
        (14, 14, 1, '04', 'TRACE_ON'),
        (15, 15, 6, '820008000031', 'ADDRESS_CONTEXT_32_IS0'),
        (21, 21, 1, 'd9', 'ATOM_F2'),
        (22, 22, 5, '061d958510', 'EXCEPTION')])
    yield from expect('address', rows[3]['fields']['address'], '0x1000')
    text = run(cairn, 'packets', *ETE, trace).lines()
    yield from expect('text lines', len(text), 1 + len(rows))
    for part in ('0x00000016 0x00000016  06 1d 95 85 10 ', 'Exception', '0x2014', 'IRQ'):
        yield from expect_in('text', part, text[-1])


def check_elements(cairn, trace):
    rows = run(cairn, 'elements', '--format', 'json', *ETE, trace).rows()
    is_implied = lambda row: row['fields'].get('implied')  # noqa: E731
    kinds = [(row['offset'], row['kind']) for row in rows if not is_implied(row)]
    yield from expect('elements', sorted(kinds), sorted([
        (12, 'Trace Info'), (14, 'Trace On'), (15, 'Context'), (15, 'Target Address'), (21, 'Atom'),
        (21, 'Atom'), (22, 'Exception')]))
    commits = [row for row in rows if is_implied(row)]
    yield from expect('implied Commits (MAXSPEC 0: one a P0 element)',
                      [row['kind'] for row in commits], ['Commit'] * 3)
    resolved = run(cairn, 'elements', '--resolved', '--format', 'json', *ETE, trace).rows()
    yield from expect('no Commit in the resolved stream',
                      [row['kind'] for row in resolved if row['kind'] == 'Commit'], [])
    yield from expect('resolved elements', len(resolved), len(kinds))


EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'examples', 'capture')


def keys_of(value):
    """The keys of an object, and of those inside of it but for its `configuration` and `ledger`."""
    for key, inside in value.items():
        yield key
        if isinstance(inside, dict) and key == 'fields':
            yield from keys_of(inside)


def check_keys(cairn):
    """In no object a key stands twice (Answer.rows sees to it), and what a field of a record says the
    record does not say again, in JSON as in text."""
    for words in (['info'], ['check'], ['packets'], ['elements'], ['elements', '--resolved'], ['flow'],
                  ['flow', '--ranges'], ['flow', '--summary'], ['data']):
        rows = run(cairn, *words, '--format', 'json', EXAMPLE).rows()
        yield from expect(' '.join(words) + ': rows', len(rows) > 0, True)
        twice = [row for row in rows if len(list(keys_of(row))) > len(set(keys_of(row)))]
        yield from expect(' '.join(words), twice[:1], [])
    text = run(cairn, 'elements', EXAMPLE).out
    yield from expect_in('text', ' implied=1\n', text)
    yield from expect('text', '(implied)' in text, False)


def check_json_flow(cairn, trace, image):
    rows = run(cairn, 'flow', '--format', 'json', *ETE, *image, trace).rows()
    ranges = [row for row in rows if row['type'] == 'range']
    yield from expect('ranges', [(row['address'], row['end'], row['instructions'], row['p0'])
                                 for row in ranges],
                      [('0x1000', '0x1004', 1, 'E'), ('0x2000', '0x2010', 4, 'N'),
                       ('0x2010', '0x2014', 1, None)])
    code = [item for row in ranges for item in row['code']]
    wanted = [word for address in sorted(EXAMPLE_PROGRAM) for word in EXAMPLE_PROGRAM[address]]
    yield from expect('opcodes', [int(item['opcode'], 16) for item in code], wanted)
    short = run(cairn, 'flow', '--ranges', '--format', 'json', *ETE, *image, trace).rows()
    yield from expect('--ranges has no code', [row for row in short if 'code' in row], [])
    exception = [row for row in rows if row['type'] == 'exception'][0]
    yield from expect('exception', (exception['exception_name'], exception['address']),
                      ('IRQ', '0x2014'))


def check_text_flow(cairn, folder, trace):
    """From an ELF file: symbols, a heading where the function changes, the branch target by name."""
    segments = {address: words(values) for address, values in EXAMPLE_PROGRAM.items()}
    elf = folder.elf('program.elf', segments, [('first', 0x1000, 4), ('second', 0x2000, 20)])
    answer = run(cairn, 'flow', '--format', 'full', *ETE, '--image', elf, trace)
    yield from expect('status', answer.status, 0)
    lines = [line.strip() for line in answer.lines()]
    for heading in ('first:', 'second:'):
        yield from expect('heading ' + heading, lines.count(heading), 1)
    branch = [line for line in lines if ' 14000400 ' in line]
    yield from expect_in('the branch', '0000000000001000 E 14000400', ''.join(branch))
    yield from expect_in('its target', '<second>', ''.join(branch))
    loads = [line for line in lines if line.startswith('0000000000002004')]
    yield from expect('an instruction within a range has no flag and no offsets',
                      [line[:27] for line in loads], ['0000000000002004   f9400001'])
    ranges = run(cairn, 'flow', '--format', 'full', '--ranges', *ETE, '--image', elf, trace).out
    yield from expect_in('--ranges', '0000000000002000..0000000000002010 A64     4 instructions N'
                         '  second', ranges)
    moved = run(cairn, 'flow', '--format', 'addresses', *ETE, '--image', elf + '@0x1000', trace)
    yield from expect('ELF with a bias: 0x1000 is elsewhere now', instructions(moved), [])


def check_t32(cairn, folder):
    trace = folder.write('t32.bin', T32_TRACE)
    code = folder.write('t32_code.bin', T32_CODE)
    answer = run(cairn, 'flow', '--format', 'addresses', *ETE, '--image', code + '@0x2000', trace)
    yield from expect('instructions', instructions(answer), T32_ADDRESSES)
    text = run(cairn, 'flow', '--format', 'full', *ETE, '--image', code + '@0x2000', trace).out
    for part in ('00002000   bf00 ', '00002002   f04f0000 ', '00002006 E d000 ', '0000200a E 4770 '):
        yield from expect_in('text', part, text)


def check_offsets(cairn, trace, image):
    rows = run(cairn, 'packets', '--format', 'json', '--from', '0xe', '--to', '22', *ETE, trace).rows()
    yield from expect('packets from 14 to 22', [row['offset'] for row in rows], [14, 15, 21])
    answer = run(cairn, 'flow', '--format', 'addresses', '--from', 22, *ETE, *image, trace)
    yield from expect('flow from 22: what the Exception packet tells', instructions(answer), ['2010'])
    answer = run(cairn, 'flow', '--format', 'addresses', '--to', 22, *ETE, *image, trace)
    yield from expect('flow before 22', instructions(answer), EXAMPLE_ADDRESSES[:-1])


def check_sources(cairn, folder):
    """Two sources in formatter frames: file offsets, and the ways to name a source."""
    data = frames([(0x11, EXAMPLE_D11_1_1), (0x22, TIMES_A)])
    trace = folder.write('two.bin', data)
    basic = [*ETE, '--frames', 'coresight']
    rows = run(cairn, 'packets', '--format', 'json', *basic, trace).rows()
    names = sorted({row['source'] for row in rows})
    yield from expect('sources', len(names), 2)
    for row in rows:
        # frames() puts 13 bytes into each frame, behind its ID byte
        base = 0 if row['source'] == names[0] else len(frames([(0x11, EXAMPLE_D11_1_1)]))
        place = base + row['offset'] // 13 * 16 + 1 + row['offset'] % 13
        if row['file_offset'] != place:
            yield '%s offset %d: file offset %d, expected %d' % (row['source'], row['offset'],
                                                                row['file_offset'], place)
    whole = [row for row in rows if row['source'] == names[1]]
    for way in ('0x22', names[1], '1'):
        rows = run(cairn, 'packets', '--format', 'json', '--source', way, *basic, trace).rows()
        yield from expect('--source ' + way, rows, whole)
    headings = [line for line in run(cairn, 'packets', *basic, trace).lines() if line[:3] == '== ']
    yield from expect('a heading each', len(headings), 2)


def check_bytes(cairn, folder):
    """The packets' bytes are the source's bytes, wherever the reader's chunks end; so are their places
    in the file, which show the same bytes (bit 0 of even bytes is elsewhere in a frame)."""
    data = EXAMPLE_D11_1_1 * 9001
    data += IGNORE * (-len(data) % FRAME_DATA)
    plain = folder.write('plain.bin', data)
    rows = run(cairn, 'packets', '--format', 'json', *ETE, '--frames', 'none', plain).rows()
    yield from expect('without frames', bytes_of(''.join(row['bytes'] for row in rows)) == data, True)
    framed = frames([(0x11, data)])
    trace = folder.write('framed.bin', framed)
    rows = run(cairn, 'packets', '--format', 'json', *ETE, '--frames', 'coresight', trace).rows()
    yield from expect('in frames', bytes_of(''.join(row['bytes'] for row in rows)) == data, True)
    yield from expect('file offsets', [row for row in rows if framed[row['file_offset']] | 1 !=
                                       bytes_of(row['bytes'])[0] | 1], [])
    noise = folder.write('noise.bin', b'\xf7' * 300000 + data)
    rows = run(cairn, 'packets', '--format', 'json', *ETE, '--frames', 'none', noise).rows()
    yield from expect('a long packet', (rows[0]['kind'], rows[0]['bytes'], rows[0].get('bytes_cut')),
                      ('NOT_SYNC', 'f7' * 128, True))
    yield from expect('what follows it', bytes_of(''.join(row['bytes'] for row in rows
                                                          if row['kind'] != 'NOT_SYNC')) == data, True)


def check_merge(cairn, folder):
    """Records come in order of the last timestamp: A until 0x30 is due, then B ..."""
    trace = folder.write('times.bin', frames([(0x11, TIMES_A), (0x22, TIMES_B)]))
    image = folder.program(LOOP)
    basic = ['--merge', 'time', *ETE, '--frames', 'coresight', '--set', 'TRCCONFIGR=0x801', *image]
    rows = run(cairn, 'flow', '--format', 'json', *basic, trace).rows()
    times = [row['timestamp'] for row in rows if row['type'] == 'timestamp']
    yield from expect('timestamps in order', times, ['0x10', '0x20', '0x30', '0x40'])
    order = [row['source'] for row in rows if row['type'] == 'range']
    yield from expect('ranges in order', [name[-2:] for name in order], ['11', '22', '11', '22'])
    trace = folder.write('one_timed.bin', frames([(0x11, EXAMPLE_D11_1_1), (0x22, TIMES_B)]))
    rows = run(cairn, 'flow', '--format', 'json', *basic, trace).rows()
    notes = [row for row in rows if row['type'] == 'note']
    yield from expect('a note on the source without timestamps',
                      [(row['source'][-2:], 'no timestamps' in row['text']) for row in notes],
                      [('11', True)])
    first = [row['source'][-2:] for row in rows]
    yield from expect('it follows behind', first, sorted(first, reverse=True))


def check_output_file(cairn, folder, trace):
    path = os.path.join(folder.path, 'listing.txt')
    printed = run(cairn, 'packets', *ETE, trace).out
    answer = run(cairn, 'packets', '-o', path, *ETE, trace)
    yield from expect('status', (answer.status, answer.out), (0, ''))
    with open(path) as file:
        yield from expect('the file', file.read(), printed)
    answer = run(cairn, 'packets', '-o', path, '--format', 'json', *ETE, trace)
    yield from expect('an existing file', answer.status, 2)
    yield from expect_in('message', '--force', answer.err)
    with open(path) as file:
        yield from expect('the file is untouched', file.read(), printed)
    answer = run(cairn, 'packets', '--force', '-o', path, '--format', 'json', *ETE, trace)
    with open(path) as file:
        yield from expect('--force', (answer.status, file.read()[:1]), (0, '{'))
    answer = run(cairn, 'packets', '--force', '-o', trace, *ETE, trace)
    yield from expect('the capture itself', answer.status, 2)
    yield from expect('the capture is untouched', os.path.getsize(trace), len(EXAMPLE_D11_1_1))


def check_registers(cairn, folder):
    """--set and an INI file mean the same, and --set wins."""
    trace = folder.write('speculative.bin', START + bytes_of('F7 2D 01'))
    ini = folder.write('trace.ini', '[source ETE_0]\nprotocol=ete\ncore=Cortex-A53\nTRCIDR8=4\n')

    def depth(*arguments):
        source = run(cairn, 'info', '--format', 'json', *arguments, trace).rows()[0]['sources'][0]
        return source['configuration']['speculation_depth']
    def traced(*arguments):
        source = run(cairn, 'info', '--format', 'json', *arguments).rows()[0]['sources'][0]
        return source['trace_id']
    framed = folder.write('framed.bin', frames([(0x23, START + bytes_of('F7 F7'))]))
    yield from expect('--id', traced(*ETE, '--id', '0x23', trace), 0x23)
    yield from expect('an ID found in frames', traced(*ETE, '--frames', 'coresight', framed), 0x23)
    yield from expect('--set TRCTRACEIDR', traced(*ETE, '--set', 'TRCTRACEIDR=0x24', trace), 0x24)
    yield from expect('--set', depth(*ETE, '--set', 'TRCIDR8=7'), 7)
    yield from expect('--config', depth('--config', ini), 4)
    yield from expect('--set over --config', depth('--config', ini, '--set', 'TRCIDR8=9'), 9)


def check_override(cairn, folder, trace):
    """--image wins over what the capture has, also where that is for one space only."""
    wrong = {address: [0xd503201f] * len(values) for address, values in EXAMPLE_PROGRAM.items()}
    dumps = [(address, words(values)) for address, values in wrong.items()]
    for space in (None, 'EL1N'):
        capture = folder.snapshot('over_%s' % space, EXAMPLE_D11_1_1, dumps=dumps, space=space)
        answer = run(cairn, 'flow', '--format', 'addresses', capture)
        if instructions(answer) == EXAMPLE_ADDRESSES or not instructions(answer):
            yield 'the control is no control: %r' % answer.out
        answer = run(cairn, 'flow', '--format', 'addresses', *folder.program(), capture)
        yield from expect('over memory of space %s' % space, instructions(answer), EXAMPLE_ADDRESSES)


def check_return_stack(cairn, folder):
    """Where a return went is not in the trace: that is said of the first instruction behind it, which is
    where the address counts. BL, RET, then NOP, NOP, B."""
    image = folder.program({0x1000: [0x94000004, 0xd503201f, 0xd503201f, 0x14000000, 0xd65f03c0]})
    trace = folder.write('returns.bin', START + bytes_of('FF'))  # Atom format 3, E E E (DDI0608 D5.42)
    given = ['--protocol', 'ete', '--frames', 'none', '--set', 'TRCCONFIGR=0x1001', '--set', 'TRCIDR8=0',
             *image, trace]
    said = '  (from the return stack)'
    for listing, wanted in [([], ['0000000000001004']), (['--ranges'], ['0000000000001004..0000000000001010'])]:
        answer = run(cairn, 'flow', '--format', 'full', *listing, *given)
        yield from expect(' '.join(listing), [line[23:].split()[0] for line in answer.lines()
                                              if said in line], wanted)


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        trace = folder.write('trace.bin', EXAMPLE_D11_1_1)
        image = folder.program()
        tap.case('flow --format addresses: DDI0608 D11.1.1', check_addresses(cairn, trace, image))
        tap.case('flow --format addresses: a gap', check_gap(cairn, trace, image))
        tap.case('packets', check_packets(cairn, trace))
        tap.case('elements', check_elements(cairn, trace))
        tap.case('nothing twice in an object of JSON', check_keys(cairn))
        tap.case('flow --format json', check_json_flow(cairn, trace, image))
        tap.case('flow as text, from an ELF file', check_text_flow(cairn, folder, trace))
        tap.case('flow in T32', check_t32(cairn, folder))
        tap.case('--from and --to', check_offsets(cairn, trace, image))
        tap.case('several sources', check_sources(cairn, folder))
        tap.case('bytes and file offsets of long sources', check_bytes(cairn, folder))
        tap.case('--merge time', check_merge(cairn, folder))
        tap.case('--output', check_output_file(cairn, folder, trace))
        tap.case('where a range came from', check_return_stack(cairn, folder))
        tap.case('registers by hand', check_registers(cairn, folder))
        tap.case('--image over the capture', check_override(cairn, folder, trace))
    tap.end()


if __name__ == '__main__':
    main()
