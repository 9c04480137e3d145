#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn-mpi: four ranks, and any other number of them, write the bytes that `cairn count` writes, of one capture and of many;
where one rank cannot go on all end, nothing is written, and one says why.

usage: test_mpi.py CAIRN [CAIRN-MPI]
"""
import os
import shutil
import subprocess
import sys
import tempfile

from common import Tap, expect, expect_in, run

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPTURE = os.path.join(TOP, 'examples', 'capture')
# Ranks on one machine, whoever asks; Open MPI keeps memory of its own to the end.
OPTIONS = ['--allow-run-as-root', '--oversubscribe', '--mca', 'btl', 'self,vader', '--mca', 'plm', 'isolated',
           '--mca', 'pml', 'ob1']
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0',
                   OMPI_MCA_rmaps_base_oversubscribe='1', OMPI_MCA_btl_vader_single_copy_mechanism='none')


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def mpi(program, ranks, *arguments):
    return subprocess.run(['mpirun', '-n', str(ranks), *OPTIONS, program, *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=250, env=ENVIRONMENT, check=False)


def said(done):
    """What ranks said, and not mpirun of them."""
    return [line for line in done.stderr.decode().splitlines() if line.startswith('cairn')]


def check_ranks(cairn, program, folder):
    wrong = []
    for ranks, options in ((4, ('--no-calls',)), (4, ()), (1, ()), (3, ('--no-calls',))):
        whole, out = os.path.join(folder, 'whole'), os.path.join(folder, 'ranks')
        run(cairn, 'count', *options, '--force', '-o', whole, CAPTURE)
        done = mpi(program, ranks, *options, '--force', '-o', out, CAPTURE)
        wrong += expect('status of %d ranks' % ranks, (done.returncode, said(done)), (0, []))
        wrong += expect('%d ranks' % ranks, os.path.exists(out) and read(out) == read(whole), True)
    return wrong


def check_captures(cairn, program, folder):
    captures = []
    for i in range(3):
        captures.append(os.path.join(folder, 'capture%d' % i))
        shutil.copytree(CAPTURE, captures[-1])
    whole, out = os.path.join(folder, 'three'), os.path.join(folder, 'three.ranks')
    run(cairn, 'count', '-o', whole, *captures)
    done = mpi(program, 2, '-o', out, *captures)
    return expect('status', done.returncode, 0) + expect('bytes', os.path.exists(out) and read(out) == read(whole), True)


def check_refused(program, folder):
    out, none = os.path.join(folder, 'never'), os.path.join(folder, 'none')
    wrong = []
    for arguments, words in ((('-o', out, none), 'does not exist'), (('-o', out, CAPTURE, none), 'does not exist'),
                             (('-o', out), 'which capture'), ((CAPTURE,), '-o FILE'),
                             (('--shard', '1/2', '-o', out, CAPTURE), 'leave out --shard'),
                             (('-o', out, '--wrong', CAPTURE), '--wrong')):
        done = mpi(program, 2, *arguments)
        wrong += expect(' '.join(arguments), done.returncode, 2) + expect_in(' '.join(arguments), words, done.stderr.decode())
        wrong += expect('sentences of ' + ' '.join(arguments), len(said(done)), 1)
    return wrong + expect('nothing written', os.path.exists(out), False)


def main():
    tap = Tap()
    cases = ['ranks write what one process writes', 'captures are dealt out', 'one rank says why all end']
    if len(sys.argv) < 3 or not shutil.which('mpirun'):
        for name in cases:
            tap.skip(name, 'Open MPI is not installed (Debian: libopenmpi-dev, openmpi-bin)')
    else:
        with tempfile.TemporaryDirectory() as folder:
            tap.case(cases[0], check_ranks(sys.argv[1], sys.argv[2], folder))
            tap.case(cases[1], check_captures(sys.argv[1], sys.argv[2], folder))
            tap.case(cases[2], check_refused(sys.argv[2], folder))
    tap.end()


if __name__ == '__main__':
    main()
