#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tutorials of docs/, word for word in an empty folder: their files are written, their commands run, and what the page shows
is what is printed. A line "..." stands for any lines.

usage: test_tutorials.py CAIRN ...
"""
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
from tap import Tap  # noqa: E402

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
TIMEOUT = 120
# Page, sections in their order, and whether counts are the same everywhere: those of a C library are not.
TUTORIALS = (('coverage.md', ['Coverage of firmware from an ETB dump'], True),
             ('crash.md', ['Firmware on a Cortex-M', 'From an MTB', 'From the RAM of an ETB'], True),
             ('crash.md', ['A Linux program'], False),
             ('latency.md', ['Interrupt latency on a Cortex-M'], True))
# What arm-none-eabi-gcc makes, by the compiler that is there for other tests.
COMPILER = '#!/bin/sh\nexec arm-linux-gnueabihf-gcc -mfloat-abi=soft -fno-pic -fshort-enums -static -Wl,--build-id=none "$@"\n'


def section(text, title):
    """A section without those inside of it."""
    found = re.search(r'^#+ %s\n(.*?)(?=^#+ |\Z)' % re.escape(title), re.sub(r'(?ms)^```.*?^```', hide, text), re.M | re.S)
    if not found:
        raise RuntimeError('no section "%s"' % title)
    return found[1].replace(HIDDEN, '#')


HIDDEN = '\0'


def hide(block):
    """Lines of a block that look like titles."""
    return block[0].replace('#', HIDDEN)


def blocks(text):
    """[(name of a file or None, block)]"""
    found = re.finditer(r'^(?:[^\n]*`([\w.]+)`:\n\n)?```\w*\n(.*?)^```$', text, re.M | re.S)
    return [(match[1], match[2]) for match in found]


def differences(wanted, printed, exactly):
    """What is printed and not shown, or the other way around."""
    same = str if exactly else lambda line: re.sub(r'\d+', 'N', ' '.join(line.split()))  # noqa: E731
    pattern = ''.join('(?:.*\n)*?' if line.strip() == '...' else re.escape(same(line)) + '\n' for line in wanted.splitlines())
    if re.fullmatch(pattern, ''.join(same(line) + '\n' for line in printed.splitlines())):
        return []
    return difflib.unified_diff(wanted.splitlines(), printed.splitlines(), 'page', 'program', lineterm='')


def walk(cairn, page, sections, exactly):
    folder = tempfile.mkdtemp(prefix='cairn-tutorial-')
    tools = os.path.join(folder, 'tools')
    work = os.path.join(folder, 'work')
    try:
        for path in (tools, work):
            os.mkdir(path)
        os.symlink(cairn, os.path.join(tools, 'cairn'))
        own = shutil.which('arm-none-eabi-gcc')  # wherever: the commands see this folder and the system's
        with open(os.path.join(tools, 'arm-none-eabi-gcc'), 'w') as file:
            file.write('#!/bin/sh\nexec %s "$@"\n' % shlex.quote(os.path.abspath(own)) if own else COMPILER)
        os.chmod(file.name, 0o755)
        environment = dict(PATH=tools + ':/usr/bin:/bin', LC_ALL='C', HOME='/')

        def shell(command):
            return subprocess.run(['sh', '-c', command], cwd=work, env=environment, timeout=TIMEOUT, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

        shown = 0
        with open(os.path.join(TOP, 'docs', page), encoding='utf-8') as file:
            text = file.read()
        for name, block in (pair for title in sections for pair in blocks(section(text, title))):
            if name:
                with open(os.path.join(work, name), 'w') as file:
                    file.write(block)
            elif not block.startswith('$ '):
                # a program that crashes ends with the status of its signal, and is recorded all the same
                answer = shell('set -e\n' + block)
                if answer.returncode not in (0, 128 + 11):
                    yield '%s\nends with %d: %s' % (block, answer.returncode, answer.stdout)
            else:
                for part in re.split(r'^\$ ', block, flags=re.M)[1:]:
                    command, _, wanted = part.partition('\n')
                    yield from differences(wanted, shell(command).stdout, exactly)
                    shown += 1
        if not shown:
            yield 'nothing is shown'
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    for page, sections, exactly in TUTORIALS:
        tap.case('docs/%s: %s' % (page, ', '.join(sections)), walk(cairn, page, sections, exactly))
    tap.end()


if __name__ == '__main__':
    main()
