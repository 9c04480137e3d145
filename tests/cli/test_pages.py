#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Manual pages: what `--help-all` says, in man(7) that mandoc finds nothing wrong with.

usage: test_pages.py CAIRN FOLDER      FOLDER: the pages as they are installed
"""
import os
import re
import shutil
import subprocess
import sys

from common import Tap, expect, run

TIMEOUT = 60
# Sections that a page shares with `--help-all`.
SHARED = ['DESCRIPTION', 'OPTIONS', 'OUTPUT', 'EXIT STATUS', 'EXAMPLES']
PAGE = ['NAME', 'SYNOPSIS', *SHARED, 'SEE ALSO']


def commands(cairn):
    return re.findall(r'^  ([a-z]+) +\S', run(cairn, 'help').out, re.M)


def sections(text):
    """{title: words} of what has its titles at the left."""
    found, title = {}, None
    for line in text.splitlines():
        if re.match(r'[A-Z][A-Z ]+$', line):
            title = line
            found[title] = []
        elif title:
            found[title] += line.replace('`', '').split()
    return found


def rendered(path):
    """The page as a terminal has it, without bold and italics."""
    text = subprocess.run(['mandoc', '-T', 'ascii', '-O', 'width=100', path], check=True,
                          stdout=subprocess.PIPE, timeout=TIMEOUT).stdout.decode()
    return re.sub('.\b', '', text)


def check_lint(path):
    done = subprocess.run(['mandoc', '-T', 'lint', '-W', 'warning', path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=TIMEOUT)
    yield from expect('mandoc', (done.returncode, done.stdout.decode()), (0, ''))


def check_page(cairn, command, path):
    """The same words in the same order as `--help-all`, section by section."""
    yield from check_lint(path)
    with open(path, encoding='utf-8') as file:
        yield from expect('installed page', file.read(), run(cairn, 'help', '--man', command).out)
    page, told = sections(rendered(path)), sections(run(cairn, command, '--help-all').out)
    yield from expect('sections', list(page), PAGE)
    for title in SHARED:
        if page.get(title) == told[title]:
            continue
        for at, (one, other) in enumerate(zip(page.get(title, []), told[title])):
            if one != other:
                yield '%s: the page has %r, --help-all %r' % (
                    title, ' '.join(page[title][at:at + 8]), ' '.join(told[title][at:at + 8]))
                break
        else:
            yield '%s: %d words, --help-all %d' % (title, len(page.get(title, [])), len(told[title]))
    yield from expect('name', ' '.join(page['NAME']).startswith('cairn-%s - ' % command), True)


def check_program(cairn, names, path):
    yield from check_lint(path)
    page = sections(rendered(path))
    for name in names:
        yield from expect('%s among the commands' % name, 'cairn-%s(1)' % name in page['COMMANDS'], True)


def check_marked(folder):
    """What is typed stands in bold, what stands for something else in italics, and no text is taken
    for a request."""
    with open(os.path.join(folder, 'cairn-flow.1'), encoding='utf-8') as file:
        text = file.read()
    for part in ('\\fB\\-\\-image\\fR \\fIFILE\\fR[@\\fIADDRESS\\fR]\n',
                 '\\fB\\-o\\fR \\fIFILE\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n',
                 '\\fBcairn check\\fR'):
        if part not in text:
            yield 'not in cairn-flow.1: %s' % part
    for line in text.splitlines():
        if line.startswith('.') and not re.match(r'\.(TH|SH|TP|PP|BR|nf|fi)\b', line):
            yield 'a request? %s' % line


def main():
    cairn, folder = sys.argv[1:3]
    tap = Tap()
    names = commands(cairn)
    pages = sorted(name for name in os.listdir(folder) if name.endswith('.1'))
    tap.case('a page of the program and of each command', expect(
        'pages', pages, sorted(['cairn.1'] + ['cairn-%s.1' % name for name in names])))
    tap.case('bold, italics, requests', check_marked(folder))
    answer = run(cairn, 'help', '--man', 'flwo')
    tap.case('no page of what there is not', expect('status', answer.status, 2) +
             expect('stdout', answer.out, ''))
    if not shutil.which('mandoc'):
        for name in ['cairn'] + ['cairn-' + name for name in names]:
            tap.skip(name + '(1)', 'mandoc is not installed (Debian: mandoc)')
        tap.end()
    tap.case('cairn(1)', check_program(cairn, names, os.path.join(folder, 'cairn.1')))
    for name in names:
        tap.case('cairn-%s(1) says what --help-all says' % name,
                 check_page(cairn, name, os.path.join(folder, 'cairn-%s.1' % name)))
    tap.end()


if __name__ == '__main__':
    main()
