#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Disassembly without LLVM, with each one that is installed, and with libraries that are none.

usage: test_disassembly.py CAIRN HIDE_LLVM CAPTURE
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

from common import Answer, Tap, expect, program

# examples/capture/program.s, by hand: what is in no program without a disassembler, and what is.
# The addresses are its load address and the places of its lines.
BUILT_IN = {
    '80000000': 'isb', '80000008': 'bl 0x8000002c', '80000014': 'b.ne 0x80000004',
    '8000001c': 'blr x4', '80000020': 'svc #0x1', '80000024': 'cbz w5, 0x80000024',
    '8000002c': 'tbz w3, #0x0, 0x80000038', '80000034': 'ret', '8000003c': 'ret',
    '80000044': 'b.lt 0x8000004c', '8000004c': 'ret', '80000204': 'eret',
}
WITH_LLVM = dict(BUILT_IN, **{
    '80000004': 'ldr w3, [x1], #0x4', '8000000c': 'add w0, w0, w3', '80000010': 'subs w2, w2, #0x1',
    '80000018': 'adr x4, 0x80000040', '80000030': 'add w3, w3, w3, lsl #1',
    '80000038': 'lsr w3, w3, #1', '80000040': 'cmp w0, #0x14', '80000048': 'mov w6, #0x1',
    '80000200': 'add w5, w5, #0x1',
})
WANTED = 'Debian: libllvm19'
# Names under which distributions have LLVM; those are tried that this machine has.
INSTALLED = [(version, name) for version in range(14, 35)
             for name in ('libLLVM.so.%d.1' % version, 'libLLVM-%d.so.1' % version,
                          'libLLVM-%d.so' % version)]


def installed():
    """{version: name} of the LLVMs of this machine."""
    found = {}
    for version, name in INSTALLED:
        try:
            ctypes.CDLL(name)
            found.setdefault(version, name)
        except OSError:
            pass
    return found


class Bench:
    def __init__(self, argv):
        self.cairn, self.hide, self.capture = argv[1:4]

    def run(self, *arguments, llvm=None, **environment):
        """`llvm`: what the names of the LLVMs that it sees have in common; None: it sees none."""
        environment = dict(os.environ, LD_PRELOAD=self.hide, **environment)
        # A preloaded library comes before that of the sanitizers, which does not like it.
        environment['ASAN_OPTIONS'] = ':'.join(filter(None, (environment.get('ASAN_OPTIONS'),
                                                             'verify_asan_link_order=0')))
        environment.pop('CAIRN_TEST_LLVM', None)
        if llvm is not None:
            environment['CAIRN_TEST_LLVM'] = llvm
        return Answer(subprocess.run([*program(self.cairn), *arguments], env=environment, timeout=120,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE))

    def texts(self, **seen):
        """The answer to a listing of the example, and {address: text}."""
        answer = self.run('flow', '--source', 'ETE_0', '--format', 'json', self.capture, **seen)
        texts = {}
        for line in answer.lines():
            for insn in json.loads(line).get('code', ()):
                texts[insn['address'].replace('0x', '')] = insn['text']
        return answer, texts


def compare(texts, wanted):
    for address, text in sorted(wanted.items()):
        yield from expect(address, texts.get(address), text)


def check_without(bench):
    answer, texts = bench.texts()
    yield from expect('status', answer.status, 0)
    yield from compare(texts, BUILT_IN)
    for address in sorted(set(texts) - set(BUILT_IN)):
        if not texts[address].startswith('.inst 0x'):
            yield '%s: %s' % (address, texts[address])
    yield from expect('addresses', sorted(set(texts)), sorted(WITH_LLVM))


def check_said_once(bench):
    for arguments in (['flow'], ['flow', '--format', 'json'], ['flow', '--jobs', '1'],
                      ['flow', '--merge', 'time']):
        answer = bench.run(*arguments, bench.capture)
        said = [line for line in answer.err.splitlines() if WANTED in line]
        yield from expect('%s: lines that say so' % arguments, len(said), 1)
        yield from expect('%s: other lines' % arguments, len(answer.err.splitlines()) - len(said), 0)


def check_not_said(bench):
    for arguments in (['flow', '--format', 'addresses'], ['flow', '--summary'], ['flow', '--ranges'],
                      ['packets'], ['elements']):
        answer = bench.run(*arguments, bench.capture)
        yield from expect('%s: standard error' % arguments, answer.err, '')
    answer, _ = bench.texts(llvm='')
    yield from expect('with LLVM: standard error', answer.err, '')


def check_version(bench):
    lines = bench.run('--version').lines()
    yield from expect('lines', len(lines), 2)
    if not lines[1].startswith('disassembly: built in') or WANTED not in lines[1]:
        yield lines[1]


def check_with(bench, version, name):
    answer, texts = bench.texts(llvm=name)
    yield from expect('status', answer.status, 0)
    yield from expect('standard error', answer.err, '')
    yield from compare(texts, WITH_LLVM)
    answer = bench.run('--version', llvm=name)
    yield from expect('standard error of --version', answer.err, '')
    line = (answer.lines() + ['', ''])[1]
    if line != 'disassembly: LLVM %d' % version and \
            not line.startswith('disassembly: LLVM %d.' % version):
        yield line


def check_loaded(bench, name):
    """Branches are in the program's own words: what lists nothing else does not pay for LLVM. The linker tells what it loads."""
    for arguments, wanted in ((['flow'], True), (['flow', '--format', 'json'], True), (['flow', '--ranges'], False),
                              (['flow', '--ranges', '--format', 'json'], False), (['flow', '--summary'], False),
                              (['flow', '--format', 'addresses'], False)):
        answer = bench.run(*arguments, bench.capture, llvm=name, LD_DEBUG='files')
        yield from expect('%s: status' % arguments, answer.status, 0)
        yield from expect('%s: loads LLVM' % arguments, 'file=' + name in answer.err, wanted)


def check_unfit(bench, folder, version):
    """A library by the right name that is no LLVM is passed over."""
    os.symlink(os.path.abspath(bench.hide), os.path.join(folder, 'libLLVM.so.30.1'))
    answer, texts = bench.texts(llvm='', LD_LIBRARY_PATH=folder)
    yield from expect('status', answer.status, 0)
    yield from expect('standard error', answer.err, '')
    yield from compare(texts, WITH_LLVM)
    answer, texts = bench.texts(llvm='libLLVM.so.30.1', LD_LIBRARY_PATH=folder)
    yield from compare(texts, BUILT_IN)


def main():
    bench = Bench(sys.argv)
    tap = Tap()
    tap.case('without LLVM: branches, calls, returns, barriers', check_without(bench))
    tap.case('without LLVM: said once, with the package', check_said_once(bench))
    tap.case('without LLVM: said only where instructions are in words', check_not_said(bench))
    tap.case('without LLVM: --version says so', check_version(bench))
    found = installed()
    if found:
        newest = max(found)
        tap.case('the newest LLVM is used', expect(
            '--version', bench.run('--version', llvm='').lines()[1:][:1] ==
            bench.run('--version', llvm=found[newest]).lines()[1:][:1], True))
        tap.case('every LLVM here gives the same text: %s' % ', '.join(map(str, sorted(found))),
                 [problem for version, name in sorted(found.items())
                  for problem in check_with(bench, version, name)])
        tap.case('LLVM is loaded where it is needed', check_loaded(bench, found[newest]))
        with tempfile.TemporaryDirectory() as folder:
            tap.case('a library that is no LLVM is passed over', check_unfit(bench, folder, newest))
    else:
        for name in ('the newest LLVM is used', 'every LLVM here gives the same text', 'LLVM is loaded where it is needed',
                     'a library that is no LLVM is passed over'):
            tap.skip(name, 'no LLVM is installed (Debian: libllvm19)')
    tap.end()


if __name__ == '__main__':
    main()
