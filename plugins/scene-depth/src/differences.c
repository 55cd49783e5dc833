#include "differences.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct list {
    char *text;
    size_t size;
};

static void add(struct list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct list *list, const char *format, ...)
{
    char difference[DIFFERENCE_SIZE];
    va_list arguments;
    int size;

    va_start(arguments, format);
    size = vsnprintf(difference, sizeof difference, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof difference)
        return;
    /* Six differences of less than DIFFERENCE_SIZE each fit. */
    list->size += (size_t)snprintf(list->text + list->size, DIFFERENCES_SIZE - list->size, "%s%s", list->size > 0 ? ", " : "", difference);
}

/* A stated number can be any of 64 characters: its text is bounded. */
static void compare(struct list *list, const char *name, struct stated_number stated, double computed, double most, int digits)
{
    if (!stated.is_given || fabs(stated.value - computed) <= most)
        return;
    if (fabs(stated.value) < 1e6)
        add(list, "%s %.*f (computed %.*f)", name, digits, stated.value, digits, computed);
    else
        add(list, "%s %.4g (computed %.*f)", name, stated.value, digits, computed);
}

bool differences_write(const struct document *document, const struct statistics *statistics, char text[DIFFERENCES_SIZE])
{
    struct list list = {text, 0};
    bool is_likely_real_scene = judgement_of(statistics, false).is_likely_real_scene;
    /* A whole number is shown as one; 2.5 layers are shown as what they are. */
    int layer_digits = document->layers.value == floor(document->layers.value) ? 0 : 4;

    compare(&list, "variance", document->variance, statistics->deviation, DIFFERENCE_MOST, 4);
    compare(&list, "layers", document->layers, statistics->layers, 0, layer_digits);
    compare(&list, "edge_coherence", document->edge_coherence, statistics->coherence, DIFFERENCE_MOST, 4);
    compare(&list, "min", document->min, statistics->min, DIFFERENCE_MOST, 4);
    compare(&list, "max", document->max, statistics->max, DIFFERENCE_MOST, 4);
    if (document->has_judgement && document->is_likely_real_scene != is_likely_real_scene)
        add(&list, "is_likely_real_scene %s (computed %s)", document->is_likely_real_scene ? "true" : "false",
            is_likely_real_scene ? "true" : "false");
    return list.size > 0;
}
