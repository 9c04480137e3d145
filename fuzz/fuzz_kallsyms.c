/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a kernel's list of symbols: what is found lies in them, line by line, and a table made of them finds each
 * symbol of code at its address, or one that begins there as well. */
#include <stdlib.h>
#include <string.h>

#include "image/kallsyms.h"
#include "image/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct cairn_file file = {.identity = {.size = size}, .data = data};
    const char *const text = (const char *)data;
    struct cairn_symbols *symbols = NULL;
    struct cairn_kallsym symbol;
    const char *name;
    uint64_t address;
    size_t before = 0;

    if (!size || (size >= 4 && !memcmp(data, "\177ELF", 4)) || (size >= 4 && data[0] == '!'))
        return 0;
    require(cairn_symbols_read(&file, &symbols) == CAIRN_OK);
    for (size_t at = 0; cairn_kallsyms_next(text, size, &at, &symbol); before = at) {
        require(at > before && at <= size);
        require(symbol.length && symbol.name > text && symbol.name + symbol.length <= text + at);
        if (!cairn_kallsym_is_code(&symbol))
            continue;
        require(cairn_kallsyms_name_code(text, size));
        require(cairn_symbols_find(symbols, symbol.address, &name, &address) == CAIRN_OK);
        require(address == 0 && name[0] != '\0');
    }
    (void)cairn_kallsyms_find(text, size, "_text", &address);
    cairn_symbols_free(symbols);
    return 0;
}
