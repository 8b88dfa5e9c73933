/* A main program for the trec_eval that pytrec_eval carries in compiled form: [-m MEASURE]... QRELS RUN.
 *
 * Reading, matching, sorting and measuring are trec_eval's own; only the loop over queries stands here. The structures are
 * those of trec_eval 9.0.8, as far as they are used. What Python would provide to the library is never called.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER_USED(name) long name[256]
NEVER_USED(PyExc_TypeError);
NEVER_USED(PyFloat_Type);
NEVER_USED(PySet_Type);
NEVER_USED(_Py_NoneStruct);

typedef struct { char *measure, *parameters; } Argument;
typedef struct {
    long per_query, summary, debug;
    char *debug_query;
    long relation, complete, judged_only, collection, level, most;
    char *qrels_format, *run_format;
    long zscores;
    Argument *arguments;
} Settings;
typedef struct { char *name; double value; } Value;
typedef struct { char *query; long queries; Value *values; long count, space; } Evaluation;
typedef struct { char *query, *run, *format; void *list; } Results;
typedef struct { long count, space; Results *of; } AllResults;
typedef struct { char *query, *format; void *judged; } Judged;
typedef struct { long count, space; Judged *of; } AllJudged;
typedef struct measure {
    char *name, *explanation;
    int (*init)(Settings *, struct measure *, Evaluation *);
    int (*calculate)(const Settings *, const Judged *, const Results *, const struct measure *, Evaluation *);
    int (*add)(const Settings *, const struct measure *, const Evaluation *, Evaluation *);
    int (*average)(const Settings *, const struct measure *, const AllJudged *, Evaluation *);
    int (*print)(const Settings *, const struct measure *, const Evaluation *);
    int (*finish)(const Settings *, struct measure *, Evaluation *);
    void *parameters;
    long at;
} Measure;

extern Measure *te_trec_measures[];
extern int te_num_trec_measures;
int te_get_qrels(Settings *, char *, AllJudged *);
int te_get_trec_results(Settings *, char *, AllResults *);

#define MEASURES_AT_MOST 64
static Measure *asked[MEASURES_AT_MOST];
static Argument arguments[MEASURES_AT_MOST + 1];
static int count;

/* Ask for a measure such as P.10: its name, and what follows the dot. */
static void ask(char *text)
{
    char *dot = strchr(text, '.');
    if (dot)
        *dot = 0;
    for (int i = 0; i < te_num_trec_measures; i++)
        if (strcmp(te_trec_measures[i]->name, text) == 0 && count < MEASURES_AT_MOST) {
            asked[count] = te_trec_measures[i];
            asked[count]->at = -2; /* wanted, not yet made ready */
            arguments[count++] = (Argument){text, dot ? dot + 1 : NULL};
            return;
        }
    exit(2);
}

static const Judged *judged_of(const AllJudged *all, const char *query)
{
    for (long j = 0; j < all->count; j++)
        if (strcmp(all->of[j].query, query) == 0)
            return &all->of[j];
    return NULL;
}

int main(int argc, char **argv)
{
    Settings settings = {.summary = 1, .relation = 1, .level = 1, .most = LONG_MAX};
    settings.qrels_format = "qrels";
    settings.run_format = "trec_results";
    settings.arguments = arguments;
    int at = 1;
    for (; at + 1 < argc && strcmp(argv[at], "-m") == 0; at += 2)
        ask(argv[at + 1]);
    AllJudged qrels = {0};
    AllResults run = {0};
    if (argc - at != 2 || te_get_qrels(&settings, argv[at], &qrels) < 0 ||
        te_get_trec_results(&settings, argv[at + 1], &run) < 0)
        return 2;
    Evaluation all = {.query = "all"}, one = {0};
    for (int m = 0; m < count; m++)
        if (asked[m]->init(&settings, asked[m], &all) < 0)
            return 2;
    one.count = all.count;
    one.values = malloc((size_t)all.count * sizeof(Value));
    for (long i = 0; i < run.count; i++) {
        const Judged *judged = judged_of(&qrels, run.of[i].query);
        if (!judged)
            continue;
        one.query = run.of[i].query;
        for (long v = 0; v < all.count; v++)
            one.values[v] = (Value){all.values[v].name, 0.0};
        for (int m = 0; m < count; m++) {
            asked[m]->calculate(&settings, judged, &run.of[i], asked[m], &one);
            asked[m]->add(&settings, asked[m], &one, &all);
        }
        all.queries++;
    }
    for (int m = 0; m < count; m++) {
        asked[m]->average(&settings, asked[m], &qrels, &all);
        asked[m]->finish(&settings, asked[m], &all);
    }
    return 0;
}
