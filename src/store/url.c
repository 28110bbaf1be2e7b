#include "store/url.h"

#include "base/fail.h"

static bool
is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

enum hf_status
hf_url_decode(const char *text, size_t len, struct hf_text *out,
              struct hf_error *error)
{
    size_t from = out->len;

    if (!hf_text_add_unescaped(out, text, len))
        return hf_fail(error, HF_E_INVALID,
                       "the place holds a %% without two hex digits");
    for (size_t i = from; i < hf_text_kept(out); i++)
        if (is_control(out->at[i]))
            return hf_fail(error, HF_E_INVALID,
                           "the place holds a control character");
    return HF_OK;
}

void
hf_url_encode(struct hf_text *out, const char *path)
{
    for (; *path != '\0'; path++) {
        if (*path == '%' || *path == '?')
            hf_text_addf(out, "%%%02X", (unsigned)(unsigned char)*path);
        else
            hf_text_add_bytes(out, path, 1);
    }
}
