# SPDX-License-Identifier: BSD-2-Clause
"""The program's answers, read back."""
import json
import os
import subprocess

DECODED = (0, 1)  # clean, or decoded with gaps


NOTHING = 'nothing could be decoded; `cairn check '  # a capture without the program's memory


def run(cairn, *arguments):
    """What the program prints. A crash, a sanitizer's report or "unusable" is an error; a flow of gaps alone,
    which ends with 2, is none."""
    done = subprocess.run([cairn, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    no_flow = arguments[0] == 'flow' and done.returncode == 2 and NOTHING in done.stderr and done.stdout
    if done.returncode not in DECODED and not no_flow:
        raise RuntimeError('%s ended with status %d: %s' % (' '.join([os.path.basename(cairn), *arguments]),
                                                           done.returncode, done.stderr[-2000:]))
    return done.stdout


def info(cairn, capture):
    return json.loads(run(cairn, 'info', '--format', 'json', capture))


def packets(cairn, capture, source):
    """The packet objects of one source, in order."""
    text = run(cairn, 'packets', '--format', 'json', '--source', source, capture)
    rows = (json.loads(line) for line in text.splitlines())
    return [row for row in rows if row['type'] == 'packet']


def addresses(cairn, capture, source):
    """[(address, 'E', 'N' or '')], one an instruction."""
    text = run(cairn, 'flow', '--format', 'addresses', '--source', source, capture)
    flow = []
    for line in text.splitlines():
        if not line.startswith('#'):
            address, _, flag = line.partition(' ')
            flow.append((int(address, 16), flag))
    return flow


def records(cairn, capture, source):
    """The records of one source's flow, ranges not expanded."""
    text = run(cairn, 'flow', '--format', 'json', '--ranges', '--source', source, capture)
    return [json.loads(line) for line in text.splitlines()][1:]  # behind the line with the version


def gaps(cairn, capture, source):
    return [record for record in records(cairn, capture, source) if record['type'] == 'gap']
