/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/sizes.h"
#include "image/layer.h"
#include "image/lines.h"
#include "image/space.h"

#include <string.h>

cairn_status cairn_symbolize(const struct cairn_space *space, uint64_t address,
                             struct cairn_symbol *symbol)
{
    struct cairn_symbol made;
    struct cairn_window window;

    if (!space || !symbol)
        return CAIRN_E_ARGUMENT;
    if (!cairn_space_window(space, address, &window))
        return CAIRN_E_NOT_FOUND;
    struct cairn_image *image = cairn_space_image(space);
    const struct cairn_layer *layer = &cairn_image_layers(image)->list[window.layer];
    memset(&made, 0, sizeof made); /* what is between the members is the caller's to see, too */
    made.object = layer->name;
    if (cairn_image_symbol(image, window.layer, address, &made.function, &made.offset)) {
        made.function = NULL;
        made.offset = 0;
    }
    if (layer->is_elf && layer->file &&
        cairn_file_line(layer->file, address - layer->bias, &made.file, &made.line)) {
        made.file = NULL;
        made.line = 0;
    }
    return cairn_info_write(symbol, &made, sizeof made);
}
