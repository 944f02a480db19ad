/* target_end.h - the end of what target_begin.h began. */
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef SC_PRAGMA
#undef SC_PRAGMA_
#undef TARGET
#undef TUNE
