/* SPDX-License-Identifier: BSD-2-Clause */
/* A program whose second function begins at a known line: test_code asks for it. */
int twice(int value);

int twice(int value)
{
    return value * 2;
}

void _start(void)
{
    twice(21);
}
