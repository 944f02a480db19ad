/* kernel_scalar.c - the portable kernel: the machine without hooks.
 *
 * It runs everywhere and is the reference for all others.
 */
#include "kernels/kernel.h"
#include "lex/lex_steps.h"

#define MACHINE run
#define MACHINE_ARGS , uint32_t floor, uint64_t *count
#define ON_VALUE() *count += depth == 0 && floor == 0
#define ON_OPEN(object) (void)0
#define ON_CLOSE() (void)0
#define ON_COMMA() *count += depth == floor
#define ON_STRING() (void)0
#define ON_TEXT(from, to, ascii) (void)(from), (void)(ascii)
#define ON_UNIT(code) (void)0
#define ON_STRING_END() (void)0
#define STRINGS_AT_ONCE 1
#define ON_WHOLE_STRING(from, to, ascii) ((void)(from), (void)(ascii), true)
#define ON_SCALAR() (void)0
#define ON_DIGITS(from, to) (void)(from)
#define ON_SCALAR_END() (void)0
#define STOP (depth < floor)
#include "lex/machine.inc"

static bool usable(void)
{
    return true;
}

static size_t skip(struct sc_lex *lex, const uint8_t *data, size_t len,
                   uint32_t floor, uint64_t *count)
{
    return (size_t)(run(lex, data, data + len, floor, count) - data);
}

const struct sc_kernel sc_kernel_scalar = {"scalar", usable, skip};

