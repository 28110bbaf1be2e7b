#ifndef HF_BASE_ATTRS_H
#define HF_BASE_ATTRS_H

/* The compiler's attributes, named once. */
#define HF_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define HF_NORETURN            _Noreturn

#endif
