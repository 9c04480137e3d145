/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the image is what ran: the files given with --image, the capture's own memory, and the files
 * that a recording names, by their bytes where two have the same addresses, else by what the trace says. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "cli/audit/contradictions.h"
#include "cli/audit/findings.h"
#include "cli/audit/verdict.h"
#include "cli/session/bias.h"
#include "cli/session/differences.h"
#include "image/elf.h"
#include "image/symbol.h"
#include "protocol/about.h"
#include <cairn/code.h>

#define TEXT 160
#define OTHER_BUILD                                                                                \
    "it is another build, or it was changed since: give the file that ran, loaded where it was"

/* What a wrong image leads to: flow that is wrong, and lost. */
static const char *const wrong_flow[] = {
    CLI_IMAGE_CONTRADICTED, CLI_UNDEFINED, CLI_NO_ADDRESS, CLI_RETURN_STACK,
    CLI_STALE_RETURN,       CLI_LIMIT,     CLI_CONTINUES,  NULL};
/* ... and what one at the wrong address does besides. */
static const char *const no_flow[] = {CLI_NO_IMAGE,
                                      CLI_IMAGE_CONTRADICTED,
                                      CLI_UNDEFINED,
                                      CLI_NO_ADDRESS,
                                      CLI_RETURN_STACK,
                                      CLI_STALE_RETURN,
                                      CLI_LIMIT,
                                      CLI_CONTINUES,
                                      CLI_IMAGE_MISMATCH,
                                      CLI_NO_FLOW,
                                      NULL};
static const char *const lost_flow[] = {CLI_NO_ADDRESS, CLI_RETURN_STACK, CLI_STALE_RETURN,
                                        CLI_LIMIT, NULL};

static struct cairn_image *image_of(const struct cli_findings *findings)
{
    return cairn_capture_image(findings->audit->session->capture);
}

/* The instruction in words. */
static void disassemble(enum cairn_isa isa, uint64_t address, const uint8_t *bytes, uint64_t left,
                        char text[TEXT])
{
    const struct cairn_arch arch = cairn_arch_any_a();
    struct cairn_insn insn;

    if (!bytes ||
        !cairn_insn_decode(&arch, isa, address, bytes, left < 4 ? (size_t)left : 4, &insn)) {
        snprintf(text, TEXT, "?");
        return;
    }
    struct cairn_disasm *disasm = cairn_disasm_new();
    char words[TEXT - 16];

    cairn_disassemble(disasm, &arch, isa, address, &insn, words, sizeof words);
    cairn_disasm_free(disasm);
    if (words[0] == '.') /* the opcode is all that is known */
        snprintf(text, TEXT, "`%s`", words);
    else
        snprintf(text, TEXT, insn.size == 2 ? "`%s` (%04x)" : "`%s` (%08x)", words, insn.opcode);
}

/* --- an ELF file as raw bytes --- */

static bool is_missing_anything(const struct cli_audit *audit)
{
    for (size_t i = 0; i < audit->source_count; i++)
        if (audit->sources[i].gaps[CAIRN_GAP_NO_IMAGE].count)
            return true;
    return false;
}

/* False: there is nothing to say of it. */
static bool check_raw_elf(struct cli_findings *findings, const struct cairn_layer *layer)
{
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX], option[CLI_IMAGE_OPTION_MAX];
    struct cairn_raw_elf raw;
    struct cli_bias bias = {.found = CLI_BIAS_NONE};

    if (!cairn_layer_is_raw_elf(layer, &raw))
        return false;
    if (!raw.misplaced && is_missing_anything(findings->audit))
        cli_bias_find(findings->audit->session, layer->name, &bias);
    if (!raw.misplaced && (bias.found != CLI_BIAS_ONE || bias.address == raw.at - raw.code))
        return false;
    cli_finding_sentence(
        sentence,
        "%s: %s is an ELF file, used as raw bytes from 0x%llx on: that puts its code at "
        "0x%llx, and it is loaded at 0x%llx",
        layer->origin ? layer->origin : "--image", layer->name, (unsigned long long)layer->address,
        (unsigned long long)raw.at, (unsigned long long)(raw.code + bias.address));
    cli_image_option(layer->name, bias.address, true, option);
    if (raw.misplaced)
        cli_finding_sentence(
            advice,
            "remove address=, offset= and length= from that section: without them the "
            "file is loaded where it says itself; or, with the capture as it is, give "
            "--image %s",
            option);
    else
        cli_finding_sentence(advice, "remove that section, and give --image %s", option);
    struct cli_finding finding = {
        .code = CLI_ELF_AS_RAW,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .what = sentence,
        .advice = advice,
        .explains = no_flow,
    };
    if (raw.misplaced) /* of a snapshot's [dump] all that use the file, of a raw buffer's its [image] */
        finding.remedies[0] =
            (struct cli_remedy){.mend = CLI_MEND_DUMP, .of = layer->name, .value = layer->name};
    cli_findings_add(findings, &finding);
    return true;
}

/* Of several parts of a file the first that has its code is told, and the others with it. */
static void check_raw_elfs(struct cli_findings *findings)
{
    const struct cairn_layers *layers = cairn_image_layers(image_of(findings));
    const size_t count = findings->audit->session->own_layers;
    bool *const told = calloc(count + 1, sizeof *told);

    findings->no_memory |= !told;
    for (size_t i = 0; i < count && told; i++) {
        size_t before = 0;

        while (before < i &&
               (!told[before] || strcmp(layers->list[before].name, layers->list[i].name)))
            before++;
        told[i] = before == i && check_raw_elf(findings, &layers->list[i]);
    }
    free(told);
}

/* --- files given by hand --- */

/* Of several files that were given the last one is followed. */
static const char *followed_at(const struct cli_findings *findings, uint64_t address)
{
    const struct cli_differences *differences = findings->audit->differences;
    const char *path = "the capture's own memory";
    uint64_t left;

    for (size_t i = 0; i < differences->count; i++)
        if (cli_differences_file_at(differences, &differences->files[i], address, &left))
            path = differences->files[i].image->path;
    return path;
}

static void check_mismatch(struct cli_findings *findings, const struct cli_compared *file)
{
    struct cli_differences *differences = findings->audit->differences;
    const bool recorded = findings->audit->session->recorded;
    const bool is_given = file->layer >= findings->audit->session->own_layers;
    const char *other = cli_differences_other(differences, file->layer);
    char sentence[CLI_SENTENCE_MAX], own_text[TEXT], other_text[TEXT];
    uint64_t left = 0;
    const uint8_t *bytes = cli_differences_file_at(differences, file, file->first, &left);

    disassemble(file->isa, file->first, bytes, left, own_text);
    bytes = cli_differences_layer_at(differences, file->layer, file->first, &left);
    disassemble(file->isa, file->first, bytes, left, other_text);
    cli_finding_sentence(
        sentence,
        "%s is not what ran%s: %llu instruction%s that %s executed differ%s from %s; "
        "at 0x%llx the file has %s, and %s is %s. Followed was %s",
        file->image->path, is_given ? ", or the other file is not" : "",
        (unsigned long long)file->differing, cairn_plural(file->differing),
        file->differing == 1 ? "was" : "were", file->differing == 1 ? "s" : "", other,
        (unsigned long long)file->first, own_text, recorded && !is_given ? "recorded" : "there",
        other_text, recorded ? "what was recorded" : followed_at(findings, file->first));
    struct cli_finding finding = {
        .code = CLI_IMAGE_MISMATCH,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .what = sentence,
        .advice = recorded ? OTHER_BUILD "; or leave --image out: the recording has what it needs"
                           : OTHER_BUILD
                      "; or, if the capture's own memory is right, leave --image "
                      "out",
        .cost.instructions = file->differing,
        .count = file->differing,
        .explains = wrong_flow,
    };
    cli_findings_add(findings, &finding);
}

/* What differs and was not executed. */
static void check_difference(struct cli_findings *findings, const struct cli_compared *file)
{
    char sentence[CLI_SENTENCE_MAX];

    cli_finding_sentence(
        sentence, "%s differs from %s at 0x%llx (%llu byte%s in all), and none of it was executed",
        file->image->path,
        cli_differences_other(findings->audit->differences, file->items[0].layer),
        (unsigned long long)file->items[0].first, (unsigned long long)file->bytes,
        cairn_plural(file->bytes));
    struct cli_finding finding = {
        .code = CLI_IMAGE_DIFFERS,
        .severity = CAIRN_NOTE,
        .what = sentence,
        .advice =
            "nothing, if these are data; else the file may be another build, and be wrong in other "
            "captures",
    };
    cli_findings_add(findings, &finding);
}

/* An AArch32 program for a trace of AArch64, or the reverse. */
static bool is_other_architecture(const struct cli_findings *findings,
                                  const struct cli_compared *file)
{
    const struct cli_differences *differences = findings->audit->differences;
    const struct cairn_layer *layer = &differences->layers->list[file->image->first];

    if (!file->image->is_elf || !file->image->count || !differences->executed)
        return false;
    if (layer->file->data[EI_CLASS] == ELFCLASS64)
        return differences->executed_a64 == 0;
    return differences->executed_a64 == differences->executed;
}

static void check_architecture(struct cli_findings *findings, const struct cli_compared *file)
{
    const bool is_64 = findings->audit->differences->executed_a64 == 0;
    char sentence[CLI_SENTENCE_MAX];

    cli_finding_sentence(sentence, "%s is a program for %s, and all that was traced is %s code",
                         file->image->path, is_64 ? "AArch64" : "AArch32 (Arm, 32 bits)",
                         is_64 ? "A32 and T32" : "A64");
    struct cli_finding finding = {
        .code = CLI_IMAGE_ARCHITECTURE,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .what = sentence,
        .explains = wrong_flow,
        .advice = "give the file that ran: `file NAME` and `readelf -h NAME` tell what one is for",
    };
    cli_findings_add(findings, &finding);
}

/* What to do about a file that is at the wrong address, if it fits elsewhere. */
static bool find_address(struct cli_findings *findings, const struct cli_compared *file,
                         char advice[CLI_SENTENCE_MAX])
{
    char option[CLI_IMAGE_OPTION_MAX], other[CLI_IMAGE_OPTION_MAX];
    struct cli_bias bias;

    cli_bias_find(findings->audit->session, file->image->path, &bias);
    advice[0] = 0;
    cli_image_option(file->image->path, bias.address, file->image->is_elf, option);
    cli_image_option(file->image->path, bias.other, file->image->is_elf, other);
    switch (bias.found) {
    case CLI_BIAS_ONE:
        if (bias.address == file->image->address)
            return false;
        cli_finding_sentence(advice, "give --image %s: %s", option, bias.reason);
        return true;
    case CLI_BIAS_SEVERAL:
        if (bias.address == file->image->address || bias.other == file->image->address)
            return false;
        cli_finding_sentence(advice, "it may be --image %s or --image %s: %s", option, other,
                             bias.reason);
        return true;
    case CLI_BIAS_NONE:
        cli_finding_sentence(
            advice,
            "give the address at which it was loaded, or leave it out; none was found "
            "at which it fits: %s",
            bias.reason);
        return false;
    }
    return false;
}

static void check_unused(struct cli_findings *findings, const struct cli_compared *file)
{
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX], option[CLI_IMAGE_OPTION_MAX];

    cli_image_option(file->image->path, file->image->address, file->image->is_elf, option);
    cli_finding_sentence(sentence, "no executed instruction lies in %s, given as --image %s%s",
                         file->image->path, option,
                         file->image->address || !file->image->is_elf ? "" : " (at 0x0)");
    const bool found = find_address(findings, file, advice);
    if (!found && advice[0] == 0)
        cli_finding_sentence(advice, "leave it out: where it is, it is not executed");
    struct cli_finding finding = {
        .code = CLI_IMAGE_UNUSED,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .what = sentence,
        .advice = advice,
        .explains = found ? no_flow : NULL,
    };
    cli_findings_add(findings, &finding);
}

/* Executable bytes that a file should have. */
static void check_truncated(struct cli_findings *findings, const struct cli_compared *file)
{
    const struct cairn_layers *layers = findings->audit->differences->layers;
    struct cairn_segments segments = {0};
    char sentence[CLI_SENTENCE_MAX];

    if (!file->image->is_elf || !file->image->count ||
        cairn_elf_segments(layers->list[file->image->first].file, file->image->path, &segments,
                           NULL))
        return;
    const uint64_t lost = segments.lost;

    cairn_segments_clear(&segments);
    if (!lost)
        return;
    cli_finding_sentence(sentence, "%s is truncated: %llu byte%s of its code %s not in it",
                         file->image->path, (unsigned long long)lost, cairn_plural(lost),
                         lost == 1 ? "is" : "are");
    struct cli_finding finding = {
        .code = CLI_IMAGE_TRUNCATED,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .what = sentence,
        .advice = "copy the whole file again",
    };
    cli_findings_add(findings, &finding);
}

static void check_stripped(struct cli_findings *findings, const struct cli_compared *file)
{
    const struct cairn_layers *layers = findings->audit->differences->layers;
    const struct cairn_symbols *symbols;
    char sentence[CLI_SENTENCE_MAX];

    if (!file->image->is_elf || !file->image->count ||
        cairn_file_symbols(layers->list[file->image->first].file, &symbols) ||
        cairn_symbols_count(symbols))
        return;
    cli_finding_sentence(sentence, "%s has no symbols: its functions have no names",
                         file->image->path);
    struct cli_finding finding = {
        .code = CLI_IMAGE_STRIPPED,
        .severity = CAIRN_NOTE,
        .what = sentence,
        .advice = "give the file as it was before strip; the code is the same",
    };
    cli_findings_add(findings, &finding);
}

static void check_given(struct cli_findings *findings, const struct cli_compared *file)
{
    const struct cli_audit *audit = findings->audit;

    check_truncated(findings, file);
    check_stripped(findings, file);
    if (is_other_architecture(findings, file))
        check_architecture(findings, file);
    else if (!file->served && (audit->differences->executed || is_missing_anything(audit)))
        check_unused(findings, file);
    else if (file->differing)
        check_mismatch(findings, file);
    else if (file->count)
        check_difference(findings, file);
}

/* --- contradictions --- */

static const struct cli_compared *given_as(const struct cli_findings *findings, size_t layer)
{
    const struct cli_differences *differences = findings->audit->differences;

    for (size_t i = 0; i < differences->count; i++)
        if (layer - differences->files[i].image->first < differences->files[i].image->count)
            return &differences->files[i];
    return NULL;
}

/* Code that changed, or damaged trace, contradicts now and then; another build all the time. */
#define OFTEN 64u        /* times, */
#define OFTEN_EVERY 256u /* and once in so many instructions */

/* In how many instructions a contradiction comes; 0: too few to tell. */
static uint64_t contradicted_every(const struct cli_audit *audit,
                                   const struct cli_contradicted *file)
{
    uint64_t instructions = 0;

    for (size_t i = 0; i < audit->source_count; i++)
        instructions += audit->sources[i].summary.instructions;
    const uint64_t every = file->total ? instructions / file->total : 0;
    return file->total >= OFTEN && every < OFTEN_EVERY ? every + !every : 0;
}

static void check_contradicted(struct cli_findings *findings, const struct cli_contradicted *file)
{
    const uint64_t every = contradicted_every(findings->audit, file);
    const struct cli_compared *given = given_as(findings, file->layer);
    const struct cli_audit_source *source = &findings->audit->sources[file->example.source];
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX], kinds[256], example[400];

    if (given && (given->differing || is_other_architecture(findings, given)))
        return; /* said already, and this follows from it */
    cli_contradictions_kinds(file, kinds, sizeof kinds);
    cli_contradictions_example(&file->example, example, sizeof example);
    cli_finding_sentence(sentence, "%s contradicts the trace %llu time%s (%s): %s",
                         cli_differences_other(findings->audit->differences, file->layer),
                         (unsigned long long)file->total, cairn_plural(file->total), kinds,
                         example);
    const bool is_placed = given && find_address(findings, given, advice);
    if (!is_placed && every)
        cli_finding_sentence(advice,
                             "the file is not what ran: what did is not contradicted once in %llu "
                             "instruction%s. It is of another build, or was loaded elsewhere, and "
                             "what was followed in it is wrong; give the one that ran with --image",
                             (unsigned long long)every, cairn_plural(every));
    else if (!is_placed)
        cli_finding_sentence(
            advice,
            "%sthe file is probably not what ran: another build or load address, or code "
            "that changed at run time; give the one that did with --image",
            cairn_about(source->info.protocol)->samples
                ? "cycles are missing, or bits of the samples wrong, in front of the place, if it "
                  "is one of a few; else "
                : "");
    struct cli_finding finding = {
        .code = CLI_IMAGE_CONTRADICTED,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = advice,
        .first = &file->example.first,
        .cost = cli_cost_of(source,
                            file->total - file->kinds[CLI_RAN_NO_WAY] +
                                source->ledger.lost[CAIRN_GAP_INCONSISTENT],
                            source->ledger.account[CAIRN_GAP_INCONSISTENT].bytes),
        .count = file->total,
        .explains = lost_flow,
    };
    cli_findings_add(findings, &finding);
}

/* --- files that a recording names --- */

/* Both instructions at the first place where a module differs. */
static void module_texts(struct cli_findings *findings, const struct cairn_module_info *module,
                         char own_text[TEXT], char recorded_text[TEXT])
{
    const struct cairn_layers *layers = cairn_image_layers(image_of(findings));
    const uint64_t address = module->differs_at;
    struct cairn_image *image = NULL;
    enum cairn_isa isa = CAIRN_ISA_UNKNOWN;
    const uint8_t *own = NULL, *recorded = NULL;
    uint64_t own_left = 0, left = 0;
    struct cairn_bytes bytes;

    if (!cairn_image_new(&image) &&
        !cairn_image_add_elf(image, module->file ? module->file : module->path, module->bias, NULL,
                             NULL)) {
        const struct cairn_layers *file = cairn_image_layers(image);

        if (file->list[0].file->data[EI_CLASS] == ELFCLASS64)
            isa = CAIRN_ISA_A64;
        for (size_t i = 0; i < file->count && !own; i++)
            if (cairn_layer_bytes(&file->list[i], &bytes))
                own = cairn_bytes_at(&bytes, address, &own_left);
    }
    for (size_t i = 0; i < findings->audit->session->own_layers && !recorded; i++)
        if (cairn_layer_bytes(&layers->list[i], &bytes))
            recorded = cairn_bytes_at(&bytes, address, &left);
    if (isa == CAIRN_ISA_UNKNOWN) /* which of the two is not said where nothing is executed */
        isa = address % 4 || left < 4 ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
    disassemble(isa, address, own, own_left, own_text);
    disassemble(isa, address, recorded, left, recorded_text);
    cairn_image_unref(image);
}

/* Whether the module's file was given by hand as well, and differs there. */
static bool is_given(const struct cli_findings *findings, const struct cairn_module_info *module)
{
    const struct cli_differences *differences = findings->audit->differences;
    bool found = false;

    for (size_t i = 0; i < differences->count && !found; i++) {
        char *path = realpath(differences->files[i].image->path, NULL);

        found = path && !strcmp(path, module->path) && differences->files[i].differing;
        free(path);
    }
    return found;
}

static void check_module(struct cli_findings *findings, const struct cairn_module_info *module)
{
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX], own[TEXT], recorded[TEXT];
    char option[CLI_IMAGE_OPTION_MAX];
    struct cli_finding finding = {
        .severity = CAIRN_PROBLEM, .loss = CLI_LOSES_DATA, .what = sentence, .advice = advice};

    cli_image_option("FILE", module->bias, true, option);
    if (module->differing && is_given(findings, module)) {
        return; /* as a file given, it was told */
    } else if (module->differing) {
        finding.code = CLI_IMAGE_MISMATCH;
        finding.count = module->differing;
        module_texts(findings, module, own, recorded);
        cli_finding_sentence(
            sentence,
            "%s is not what was recorded: %llu instruction%s differ%s; at 0x%llx the "
            "file has %s, and recorded is %s. %s",
            module->path, (unsigned long long)module->differing, cairn_plural(module->differing),
            module->differing == 1 ? "s" : "", (unsigned long long)module->differs_at, own,
            recorded,
            module->file ? "Its build-id is right, so it gives names all the same"
                         : "What was recorded is followed, and the file gives no names");
        cli_finding_sentence(advice, "put the file back that ran, or give it with --image %s",
                             option);
    } else if (module->state == CAIRN_MODULE_CHANGED) {
        finding.code = CLI_MODULE_CHANGED;
        cli_finding_sentence(sentence,
                             "%s has changed since it was recorded%s%s%s: it gives no names",
                             module->path, module->build_id ? " (its build-id was " : "",
                             module->build_id ? module->build_id : "", module->build_id ? ")" : "");
        cli_finding_sentence(advice, "put the file back that ran, or give it with --image %s",
                             option);
    } else if (module->state == CAIRN_MODULE_MISSING) {
        finding.code = CLI_MODULE_MISSING;
        finding.severity = CAIRN_NOTE;
        finding.loss = CLI_LOSES_NOTHING;
        cli_finding_sentence(
            sentence,
            "%s: what was recorded is not there any more, so its functions have no "
            "names",
            module->path);
        cli_finding_sentence(advice, "put it back, or give a copy with --image %s", option);
    } else {
        return;
    }
    cli_findings_add(findings, &finding);
}

bool cli_check_images_has_told(const struct cli_findings *findings, const char *remark)
{
    struct cairn_module_info module = {.size = sizeof module};

    for (size_t i = 0; !cairn_capture_module(findings->audit->session->capture, i, &module); i++)
        if (module.state != CAIRN_MODULE_USED && !strncmp(remark, module.path, strlen(module.path)))
            return true;
    return false;
}

void cli_check_images(struct cli_findings *findings)
{
    const struct cli_audit *audit = findings->audit;
    struct cairn_module_info module = {.size = sizeof module};

    check_raw_elfs(findings);
    for (size_t i = 0; i < audit->differences->count; i++)
        check_given(findings, &audit->differences->files[i]);
    for (size_t i = 0; i < audit->contradictions->count; i++)
        check_contradicted(findings, &audit->contradictions->files[i]);
    for (size_t i = 0; !cairn_capture_module(audit->session->capture, i, &module); i++)
        check_module(findings, &module);
}
