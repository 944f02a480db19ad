/* target_begin.h - from here to target_end.h, functions are compiled for the
 * instructions named by TARGET, whatever the rest of the library is compiled
 * for. Nothing in between may be called before cpu_x86.h has been asked.
 */
#define SC_PRAGMA_(text) _Pragma(#text)
#define SC_PRAGMA(text) SC_PRAGMA_(text)
#if defined(__clang__)
SC_PRAGMA(clang attribute push(__attribute__((target(TARGET))),
                               apply_to = function))
#else
#pragma GCC push_options
SC_PRAGMA(GCC target(TARGET))
#ifdef TUNE
SC_PRAGMA(GCC target(TUNE))
#endif
#endif
