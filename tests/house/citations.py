#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The citations of the tests, and scripts/conformance, which reads them.

usage: citations.py TOP
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402

LIST = 'id\tsection\tside\tarea\trequirement\ttest\n' + ''.join(
    'R_%s\tD1.1\tdecoder\tatoms\twhat\thow\n' % c for c in 'ABCDEFG')


def conformance(top, tree, *options):
    return subprocess.run([sys.executable, os.path.join(top, 'scripts', 'conformance'), '--top', tree,
                           *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def tree_with(folder, reasons='', **files):
    for name in ('docs/conformance', 'tests'):
        os.makedirs(os.path.join(folder, name))
    for path, text in [('docs/conformance/ete.tsv', LIST),
                       ('docs/conformance/reasons.tsv', 'id\treason\n' + reasons)] + \
            [('tests/' + name.replace('_dot_', '.'), text) for name, text in files.items()]:
        with open(os.path.join(folder, path), 'w') as file:
            file.write(text)


def expect(top, wanted, status, reasons='', **files):
    """Problems unless the report on a small tree has `wanted` in it and ends with `status`."""
    with tempfile.TemporaryDirectory() as folder:
        tree_with(folder, reasons, **files)
        done = conformance(top, folder)
        if done.returncode != status:
            yield 'status %d, not %d: %s' % (done.returncode, status, done.stderr)
        if wanted not in done.stdout + done.stderr:
            yield 'not in the report: %s\n%s%s' % (wanted, done.stdout, done.stderr)


def c_test(*statements):
    return 'static void one(void **state)\n{\n%s}\n' % ''.join('    %s\n' % s for s in statements)


def cited(ids):
    return c_test('/* proves: %s */' % ids, 'assert_int_equal(1, f());')


def main():
    top = sys.argv[1]
    tap = Tap()
    tap.case('every citation is in order', conformance(top, top, '--check').stderr.splitlines())
    tap.case('a citation proves', expect(top, '2 of 7 proved', 0, a_dot_c=cited('R_A, R_B')))
    tap.case('an unknown id is an error', expect(top, 'no list has R_X', 1, a_dot_c=cited('R_X')))
    tap.case('six ids in a citation are an error',
             expect(top, '6 ids in one citation', 1, a_dot_c=cited('R_A, R_B, R_C, R_D, R_E, R_F')))
    six = c_test(*[s for c in 'ABCDEF' for s in ('/* proves: R_%s */' % c, 'assert_true(f());')])
    tap.case('six ids in a test are an error', expect(top, 'one proves 6 ids', 1, a_dot_c=six))
    split = six.replace('    /* proves: R_D */', '}\n\nstatic void two(void **state)\n{\n    /* proves: R_D */')
    tap.case('six ids in two tests are fine', expect(top, '6 of 7 proved', 0, a_dot_c=split))
    tap.case('a citation needs an assertion',
             expect(top, 'stands above no assertion', 1,
                    a_dot_c=c_test('/* proves: R_A */', 'int x = 1;', 'use(x);')))
    tap.case('a citation in a text file proves',
             expect(top, '1 of 7 proved', 0, a_dot_scn='# proves: R_A\nnop\n'))
    tap.case('a reason excuses', expect(top, '6 open, 1 with a reason', 0, reasons='R_A\tno decoder\n'))
    tap.case('a reason for a proved id is an error',
             expect(top, 'drop the reason', 1, reasons='R_A\tno\n', a_dot_c=cited('R_A')))
    tap.end()


if __name__ == '__main__':
    main()
