#include "server/histogram.h"

#include <inttypes.h>

static const struct {
    int64_t us;
    const char *seconds;
} bounds[HF_HISTOGRAM_BOUNDS] = {
    {100, "0.0001"},  {250, "0.00025"}, {500, "0.0005"},  {1000, "0.001"},
    {2500, "0.0025"}, {5000, "0.005"},  {10000, "0.01"},  {25000, "0.025"},
    {50000, "0.05"},  {100000, "0.1"},  {250000, "0.25"}, {500000, "0.5"},
    {1000000, "1"},   {2500000, "2.5"}, {5000000, "5"},   {10000000, "10"},
    {30000000, "30"}, {60000000, "60"},
};

void
hf_histogram_add(struct hf_histogram *histogram, int64_t us)
{
    size_t at = 0;

    while (at < HF_HISTOGRAM_BOUNDS && us > bounds[at].us)
        at++;
    histogram->counts[at]++;
    histogram->sum_us += us > 0 ? (uint64_t)us : 0;
}

void
hf_histogram_write(const struct hf_histogram *histogram, const char *name,
                   const char *help, struct hf_text *text)
{
    uint64_t count = 0;

    hf_text_addf(text, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name);
    for (size_t i = 0; i < HF_HISTOGRAM_BOUNDS; i++) {
        count += histogram->counts[i];
        hf_text_addf(text, "%s_bucket{le=\"%s\"} %" PRIu64 "\n", name,
                     bounds[i].seconds, count);
    }
    count += histogram->counts[HF_HISTOGRAM_BOUNDS];
    hf_text_addf(text,
                 "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %" PRIu64
                 ".%06" PRIu64 "\n%s_count %" PRIu64 "\n",
                 name, count, name, histogram->sum_us / 1000000,
                 histogram->sum_us % 1000000, name, count);
}
