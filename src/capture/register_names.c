/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/register_names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* # stands for a number. Names that decoding needs come first: of two as near the first is told. */
static const char *const of_etmv4[] = {
    "TRCCONFIGR",    "TRCTRACEIDR",   "TRCIDR0",       "TRCIDR1",      "TRCIDR2",
    "TRCIDR8",       "TRCCCCTLR",     "TRCDEVARCH",    "TRCIDR9",      "TRCIDR12",
    "TRCIDR13",      "TRCIDR#",       "TRCPRGCTLR",    "TRCPROCSELR",  "TRCSTATR",
    "TRCAUXCTLR",    "TRCEVENTCTL#R", "TRCRSR",        "TRCSTALLCTLR", "TRCTSCTLR",
    "TRCSYNCPR",     "TRCBBCTLR",     "TRCQCTLR",      "TRCITEEDCR",   "TRCVICTLR",
    "TRCVIIECTLR",   "TRCVISSCTLR",   "TRCVIPCSSCTLR", "TRCVDCTLR",    "TRCVDSACCTLR",
    "TRCVDARCCTLR",  "TRCSEQEVR#",    "TRCSEQRSTEVR",  "TRCSEQSTR",    "TRCEXTINSELR",
    "TRCEXTINSELR#", "TRCCNTRLDVR#",  "TRCCNTCTLR#",   "TRCCNTVR#",    "TRCIMSPEC#",
    "TRCRSCTLR#",    "TRCSSCCR#",     "TRCSSCSR#",     "TRCSSPCICR#",  "TRCOSLAR",
    "TRCOSLSR",      "TRCPDCR",       "TRCPDSR",       "TRCACVR#",     "TRCACATR#",
    "TRCDVCVR#",     "TRCDVCMR#",     "TRCCIDCVR#",    "TRCVMIDCVR#",  "TRCCIDCCTLR#",
    "TRCVMIDCCTLR#", "TRCITCTRL",     "TRCCLAIMSET",   "TRCCLAIMCLR",  "TRCDEVAFF#",
    "TRCLAR",        "TRCLSR",        "TRCAUTHSTATUS", "TRCDEVID",     "TRCDEVID#",
    "TRCDEVTYPE",    "TRCPIDR#",      "TRCCIDR#",      NULL,
};

/* ETMv3 and PFT share them (IHI0014 3.5, IHI0035 3.11). */
static const char *const of_etm[] = {
    "ETMCR",         "ETMIDR",     "ETMCCER",       "ETMCCR",         "ETMTRACEIDR", "ETMIDR2",
    "ETMAUXCR",      "ETMTRIGGER", "ETMASICCR",     "ETMASICCTLR",    "ETMSR",       "ETMSCR",
    "ETMTSSCR",      "ETMTECR1",   "ETMTECR2",      "ETMTEEVR",       "ETMFFRR",     "ETMFFLR",
    "ETMVDEVR",      "ETMVDCR#",   "ETMACVR#",      "ETMACTR#",       "ETMDCVR#",    "ETMDCMR#",
    "ETMCNTRLDVR#",  "ETMCNTENR#", "ETMCNTRLDEVR#", "ETMCNTVR#",      "ETMSQ#EVR",   "ETMSQR",
    "ETMEXTOUTEVR#", "ETMCIDCVR#", "ETMCIDCMR",     "ETMIMPSPEC#",    "ETMSYNCFR",   "ETMEXTINSELR",
    "ETMTESSEICR",   "ETMTSSEICR", "ETMEIBCR",      "ETMTSEVR",       "ETMVMIDCVR",  "ETMOSLAR",
    "ETMOSLSR",      "ETMOSSRR",   "ETMPDCR",       "ETMPDSR",        "ETMITCTRL",   "ETMCLAIMSET",
    "ETMCLAIMCLR",   "ETMLAR",     "ETMLSR",        "ETMAUTHSTATUS",  "ETMDEVID",    "ETMDEVTYPE",
    "ETMPIDR#",      "ETMCIDR#",   "ETMPERIPHID#",  "ETMCOMPONENTID", NULL,
};

/* DUMP is none, but given like one: docs/formats.md. */
static const char *const of_mtb[] = {
    "POSITION", "MASTER",     "FLOW",       "BASE",     "DUMP",     "TSTART",
    "TSTOP",    "SECURE",     "ITCTRL",     "CLAIMSET", "CLAIMCLR", "DEVARCH",
    "DEVTYPE",  "LOCKACCESS", "DEVID",      "DEVCFG",   "PIDR#",    "AUTHSTATUS",
    "CIDR#",    "LAR",        "LOCKSTATUS", "LSR",      "DEVAFF#",  NULL,
};
static const char mtb_prefix[] = "MTB_"; /* as most headers and debuggers write them */

static const char *const *names_of(enum cairn_protocol_id protocol)
{
    switch (protocol) {
    case CAIRN_PROTOCOL_ETMV4:
    case CAIRN_PROTOCOL_ETE: return of_etmv4;
    case CAIRN_PROTOCOL_ETMV3:
    case CAIRN_PROTOCOL_PTM: return of_etm;
    case CAIRN_PROTOCOL_MTB: return of_mtb;
    case CAIRN_PROTOCOL_STM:
    case CAIRN_PROTOCOL_ITM:
    case CAIRN_PROTOCOL_UNKNOWN: break;
    }
    return NULL;
}

static const char *bare(enum cairn_protocol_id protocol, const char *name)
{
    const size_t length = sizeof mtb_prefix - 1;
    const bool prefixed = protocol == CAIRN_PROTOCOL_MTB && !strncasecmp(name, mtb_prefix, length);
    return prefixed ? name + length : name;
}

static bool matches(const char *pattern, const char *name)
{
    for (; *pattern; pattern++) {
        if (*pattern != '#') {
            if (toupper((unsigned char)*name++) != *pattern)
                return false;
            continue;
        }
        if (!isdigit((unsigned char)*name))
            return false;
        while (isdigit((unsigned char)*name))
            name++;
    }
    return !*name;
}

#define NAME_MAX_LENGTH 20u
#define FAR CAIRN_NAMES_FAR

unsigned cairn_letters_apart(const char *one, const char *other)
{
    const size_t width = strlen(other);
    unsigned row[NAME_MAX_LENGTH + 1];
    if (width > NAME_MAX_LENGTH || strlen(one) > NAME_MAX_LENGTH)
        return FAR;
    for (unsigned i = 0; i <= width; i++)
        row[i] = i;
    for (unsigned at = 1; *one; one++, at++) {
        unsigned corner = row[0];
        row[0] = at;
        for (size_t i = 0; i < width; i++) {
            const bool same = toupper((unsigned char)*one) == toupper((unsigned char)other[i]);
            const unsigned replaced = corner + !same;
            const unsigned moved = 1 + (row[i] < row[i + 1] ? row[i] : row[i + 1]);
            corner = row[i + 1];
            row[i + 1] = replaced < moved ? replaced : moved;
        }
    }
    return row[width];
}

bool cairn_register_names_known(enum cairn_protocol_id protocol)
{
    return names_of(protocol) != NULL;
}

bool cairn_register_name_exists(enum cairn_protocol_id protocol, const char *name)
{
    const char *const *names = names_of(protocol);
    for (size_t i = 0; names && names[i]; i++) {
        if (matches(names[i], bare(protocol, name)))
            return true;
    }
    return false;
}

const char *cairn_register_name_near(enum cairn_protocol_id protocol, const char *name)
{
    const char *const *names = names_of(protocol);
    const char *nearest = NULL;
    unsigned least = FAR;
    for (size_t i = 0; names && names[i]; i++) {
        const unsigned apart =
            strchr(names[i], '#') ? FAR : cairn_letters_apart(bare(protocol, name), names[i]);
        if (apart < least) {
            least = apart;
            nearest = names[i];
        }
    }
    return nearest;
}

const char *cairn_register_names_needed(enum cairn_protocol_id protocol)
{
    switch (protocol) {
    case CAIRN_PROTOCOL_ETMV4:
    case CAIRN_PROTOCOL_ETE:
        return "TRCCONFIGR, TRCTRACEIDR, TRCCCCTLR, TRCIDR0, 1, 2 and 8, and TRCDEVARCH";
    case CAIRN_PROTOCOL_ETMV3:
    case CAIRN_PROTOCOL_PTM: return "ETMCR, ETMIDR, ETMCCER and ETMTRACEIDR";
    case CAIRN_PROTOCOL_MTB: return "POSITION, MASTER, FLOW and BASE";
    case CAIRN_PROTOCOL_STM:
    case CAIRN_PROTOCOL_ITM:
    case CAIRN_PROTOCOL_UNKNOWN: break;
    }
    return "others";
}
