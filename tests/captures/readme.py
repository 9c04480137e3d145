#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What README.md shows is what the program prints.

usage: readme.py CAIRN TOP
"""
import difflib
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
from tap import Tap  # noqa: E402

PROGRAM = '$ build/cairn '
LINK = re.compile(r'\]\((?!https?:)([^)#]+)')


def shown(top):
    """(command, output) of each block that begins with a call of the program."""
    with open(os.path.join(top, 'README.md'), encoding='utf-8') as file:
        blocks = re.findall(r'^```\n(.*?)^```$', file.read(), re.M | re.S)
    for block in blocks:
        if block.startswith(PROGRAM):
            command, output = block.split('\n', 1)
            yield command, output


def check(cairn, top, command, output):
    done = subprocess.run([cairn] + shlex.split(command[len(PROGRAM):]), cwd=top,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return difflib.unified_diff(output.splitlines(), done.stdout.splitlines(), 'README.md', 'program',
                                lineterm='', n=1)


def check_links(top):
    for folder, names in (('', ['README.md', 'CHANGELOG.md']),
                          ('docs', sorted(os.listdir(os.path.join(top, 'docs')))),
                          ('docs/conformance', ['README.md'])):
        for name in names:
            path = os.path.join(top, folder, name)
            if not name.endswith('.md'):
                continue
            with open(path, encoding='utf-8') as file:
                for target in LINK.findall(re.sub(r'```.*?```', '', file.read(), flags=re.S)):
                    if not os.path.exists(os.path.join(top, folder, target)):
                        yield '%s: no such file: %s' % (os.path.join(folder, name), target)


def has_disassembly(cairn, top):
    """Without LLVM the listing has .inst in place of text."""
    done = subprocess.run([cairn, 'flow', os.path.join('examples', 'capture')], cwd=top,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    return '.inst' not in done.stdout


def main():
    cairn, top = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    blocks = list(shown(top))
    tap.case('README.md shows a run', [] if blocks else ['no block begins with ' + PROGRAM])
    for command, output in blocks:
        if has_disassembly(cairn, top):
            tap.case(command[2:], check(cairn, top, command, output))
        else:
            tap.skip(command[2:], 'libllvm19 is missing: no disassembly text')
    tap.case('every link in the documents leads somewhere', check_links(top))
    tap.end()


if __name__ == '__main__':
    main()
