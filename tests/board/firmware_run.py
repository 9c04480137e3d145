# SPDX-License-Identifier: BSD-2-Clause
"""Firmware on a machine of `cairn run`: what it said on its console, and the trace that it said the bytes of."""
import collections
import json
import os
import shutil
import subprocess

MACHINE = ['--machine', 'virt,secure=on,virtualization=on', '--cpu', 'max']


class Said:
    """What the firmware said on its console: lines of a name and numbers."""
    def __init__(self, text):
        self.text, self.lines = text, {}
        for line in text.splitlines():
            name, *rest = line.split() or ['']
            self.lines.setdefault(name, []).append(rest)

    def numbers(self, name):
        return [int(word, 16) for word in self.lines.get(name, [[]])[0]]


def missing(firmware):
    if not os.path.exists(firmware):
        return 'no aarch64-linux-gnu-gcc'
    return None if shutil.which('qemu-system-aarch64') else 'no qemu-system-aarch64'


def boot(cairn, firmware, *arguments):
    done = subprocess.run([cairn, 'run', *MACHINE, '--kernel', firmware, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors='replace', timeout=60)
    return done.returncode, Said(done.stdout), done.stderr


def traces_of(said):
    """By name; what was said more than once has a number behind it."""
    for line, rows in said.lines.items():
        if line.startswith('trace:'):
            yield from ((line[6:] if len(rows) == 1 else '%s.%d' % (line[6:], n), row) for n, row in enumerate(rows))


class Traces:
    """The trace buffers that the firmware said the bytes of, decoded on this side; `word`: an instruction that it put somewhere
    else, and the address."""
    def __init__(self, cairn, firmware, said, folder, word=(0, bytes(4))):
        unit = dict(zip(('TRCIDR0', 'TRCIDR1', 'TRCIDR2', 'TRCIDR8', 'TRCDEVARCH'), said.lines['unit'][0]))
        self.executed, self.rings, text = {}, set(), ''
        for name, (_, _, config, words) in traces_of(said):
            self.executed[name] = []
            if words == '-':
                continue
            content, ring = bytes.fromhex(words), name.endswith(('-wrap', '-circular'))
            if ring:  # the oldest byte is where the next one goes
                oldest = said.numbers('buffer:' + name)[0] - said.numbers('buffer-base')[0]
                content = content[oldest:] + content[:oldest]
            self.rings |= {name} if ring else set()
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(content)
            text += '[source %s]\nfile=%s\nprotocol=ETE\ncore=ARMv9-A\n' % (name, name)
            text += 'TRCCONFIGR=0x%s\n' % config
            text += ''.join('%s=0x%s\n' % item for item in unit.items())
        path = os.path.join(folder, 'traces.ini')
        with open(path, 'w') as file:
            file.write(text + '[image]\nfile=%s\n' % os.path.abspath(firmware) + '[image]\nfile=word\naddress=0x%x\n' % word[0])
        with open(os.path.join(folder, 'word'), 'wb') as file:
            file.write(word[1])
        done = subprocess.run([cairn, 'flow', '--format', 'json', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        events = subprocess.run([cairn, 'elements', '--format', 'json', path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.events = collections.Counter(record['source'] for record in map(json.loads, events.stdout.splitlines())
                                          if record.get('kind') == 'Event')
        self.problems = [done.stderr] if done.returncode else []
        where, self.identifiers = {}, {}
        for record in map(json.loads, done.stdout.splitlines()):
            kind, name = record['type'], record.get('source')
            if kind == 'context':
                where[name] = (record['security'], record['el'])
                self.identifiers.setdefault(name, []).append(record['context_id'])
            elif kind == 'range':
                self.executed[name] += [(*where[name], code.get('symbol'), code.get('symbol_offset')) for code in record['code']]
            elif kind == 'gap' and (record['reason'] != 'no_sync' or name not in self.rings):
                self.problems.append('%s: a gap: %s' % (name, record))
