/* The least that any program must do to evaluate TREC runs, as far as we know how: parse lines, hash items, look for repeated ones,
 * match them with judgements, and compute five measures, on two threads.
 *
 *     cc -O3 -march=native -pthread -o limit_text limit_text.c -lm
 *     limit_text QRELS RUN...
 *
 * Prints the means of AP, nDCG@10, P@10, R@100 and RR over the queries of QRELS, as JSON. Ties are broken as trec_eval does: of equal
 * scores the larger item goes first. It is a yardstick and no tool: the lines of a query must stand together, and what is wrong ends
 * it with few words.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__AVX512BW__) || defined(__AVX2__)
#include <immintrin.h>
#endif

typedef struct { const char *at; int32_t length, grade; uint64_t hash; } Word;
typedef struct { Word item; double score; int64_t query; } Row;
typedef struct { Word name; int64_t table, mask, judged, relevant; int top[10], state; double ap, dcg, rr; int p, r; } Query;
typedef struct { char *text; Row *rows; int64_t n, room, from, until, n_slots; int32_t *slots, base; int file; } Part;

enum { BLOCK = 1 << 20, AHEAD = 64, THREADS = 2, DONE = 1 };
static Query *queries;
static int64_t n_queries, *query_slots, query_mask;
static Word *judged; /* the tables of all queries, one behind the other */
static double discount[11];

static void stop(const char *why) { fprintf(stderr, "%s\n", why); exit(1); }
static void *room_for(void *old, int64_t bytes) { void *at = realloc(old, bytes); if (!at) stop("no memory"); return at; }

static inline uint64_t mixed(uint64_t a) {
    unsigned __int128 product = (unsigned __int128) (a ^ 0x2d358dccaa6c78a5ULL) * 0x8bb84b93962eacc9ULL;
    return product ^ (uint64_t) (product >> 64);
}

static inline uint64_t hashed(const char *at, int32_t n) { /* eight bytes may be read behind any word */
    uint64_t h = n, word;
    for (; n > 8; n -= 8, at += 8) { memcpy(&word, at, 8); h = mixed(h ^ word); }
    memcpy(&word, at, 8);
    return mixed(h ^ (n == 8 ? word : word & (((uint64_t) 1 << 8 * n) - 1)));
}

static inline int same(const Word *a, const Word *b) {
    return a->hash == b->hash && a->length == b->length && !memcmp(a->at, b->at, a->length);
}

static inline uint64_t white(const char *at) { /* which of 64 bytes are blanks, tabs or line ends */
#if defined(__AVX512BW__)
    return _mm512_cmple_epu8_mask(_mm512_loadu_si512(at), _mm512_set1_epi8(' '));
#elif defined(__AVX2__)
    __m256i most = _mm256_set1_epi8(' ');
    __m256i a = _mm256_loadu_si256((const __m256i *) at), b = _mm256_loadu_si256((const __m256i *) (at + 32));
    uint64_t low = (uint32_t) _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(a, most), a));
    return low | (uint64_t) (uint32_t) _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(b, most), b)) << 32;
#else
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t) ((unsigned char) at[i] <= ' ') << i;
    return bits;
#endif
}

static inline double number(const char *at, int32_t n) { /* exact where one division of exact numbers is; else as the library reads it */
    static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *c = at, *end = at + n, *point = NULL;
    uint64_t value = 0;
    int minus = *c == '-';
    for (c += minus; c < end; c++) {
        if (*c == '.' && !point) point = c;
        else if ((unsigned char) (*c - '0') < 10) value = value * 10 + (*c - '0');
        else break;
    }
    if (c == end && n <= 15 && n > minus + (point != NULL)) {
        double whole = value / tens[point ? end - point - 1 : 0];
        return minus ? -whole : whole;
    }
    char text[64], *rest;
    if (n > 63) stop("a long score");
    memcpy(text, at, n); text[n] = 0;
    double given = strtod(text, &rest);
    if (*rest || given != given) stop("a score is no number");
    return given;
}

static int64_t *slot_of(const Word *name) { /* the slot of a query, 0 if it is none */
    uint64_t at = name->hash & query_mask;
    while (query_slots[at] && !same(&queries[query_slots[at] - 1].name, name)) at = (at + 1) & query_mask;
    return &query_slots[at];
}

static inline int above(const Row *a, const Row *b) { /* the order of trec_eval */
    if (a->score != b->score) return a->score > b->score;
    int shared = a->item.length < b->item.length ? a->item.length : b->item.length;
    int order = memcmp(a->item.at, b->item.at, shared);
    return order ? order > 0 : a->item.length > b->item.length;
}
static int by_rank(const void *a, const void *b) { return above(b, a) - above(a, b); }

static void finish(Part *part, Row *rows, int64_t n) { /* one list */
    Query *q = &queries[rows->query];
    if (__atomic_exchange_n(&q->state, DONE, __ATOMIC_RELAXED) == DONE) stop("the lines of a query do not stand together");
    int64_t size = 64; int sorted = 1;
    while (size < 4 * n) size *= 2;
    if (size > part->n_slots || part->base > INT32_MAX - n) {
        part->slots = room_for(part->slots, 4 * size);
        memset(part->slots, 0, 4 * size);
        part->n_slots = size, part->base = 0;
    }
    for (int64_t i = 0; i < n; i++) { /* a slot that is not above the base is of an earlier list */
        uint64_t at = rows[i].item.hash & (size - 1);
        for (; part->slots[at] > part->base; at = (at + 1) & (size - 1))
            if (same(&rows[part->slots[at] - part->base - 1].item, &rows[i].item)) stop("an item is repeated");
        part->slots[at] = part->base + i + 1;
        sorted &= !i || rows[i - 1].score >= rows[i].score;
    }
    part->base += n;
    if (!sorted) qsort(rows, n, sizeof *rows, by_rank);
    int64_t hits = 0, ranks[q->relevant + 1];
    for (int64_t i = 0; i < n; i++)
        for (uint64_t at = rows[i].item.hash & q->mask; judged[q->table + at].at; at = (at + 1) & q->mask) {
            const Word *one = &judged[q->table + at];
            if (!same(one, &rows[i].item)) continue;
            if (one->grade <= 0) break;
            int64_t rank = i + 1;
            for (int64_t j = i; j-- > 0 && rows[j].score == rows[i].score;) rank -= above(&rows[i], &rows[j]);
            for (int64_t j = i; ++j < n && rows[j].score == rows[i].score;) rank += above(&rows[j], &rows[i]);
            int64_t place = hits++;
            for (; place && ranks[place - 1] > rank; place--) ranks[place] = ranks[place - 1];
            ranks[place] = rank;
            if (rank <= 10) q->p++, q->dcg += one->grade * discount[rank];
            q->r += rank <= 100;
            break;
        }
    for (int64_t i = 0; i < hits; i++) q->ap += (i + 1.0) / ranks[i];
    q->rr = hits ? 1.0 / ranks[0] : 0;
}

/* Read a part of a file block by block, and measure each list as soon as it is whole. */
static void *read_part(void *given) {
    Part *part = given;
    if (!part->text) part->text = room_for(NULL, BLOCK + AHEAD);
    char *text = part->text;
    int64_t held = 0;
    for (int64_t at = part->from; at < part->until;) {
        int64_t left = part->until - at, room = BLOCK - held, got = pread(part->file, text + held, left < room ? left : room, at);
        if (got <= 0) stop("a file cannot be read, or a list is longer than a block");
        at += got, held += got;
        memset(text + held, ' ', AHEAD);
        Word field[6], last = {NULL, -1, 0, 0};
        int64_t before = -1, list = 0, line = 0, query = -1;
        uint64_t is_white = 1;
        int count = 0;
        for (int64_t low = 0; low < held; low += 64) {
            uint64_t bits = white(text + low), ends = bits & ~(bits << 1 | is_white);
            for (is_white = bits >> 63; ends; ends &= ends - 1) { /* where words end */
                int64_t end = low + __builtin_ctzll(ends), begin = before + 1;
                int is_first = before < 0 || text[before] == '\n';
                while ((unsigned char) text[begin] <= ' ') is_first |= text[begin++] == '\n';
                if (end >= held && at < part->until) break; /* a word that is cut */
                if (is_first != (count == 0)) stop("a line has not six words");
                if (is_first) line = begin;
                field[count++] = (Word) {text + begin, end - begin, 0, 0};
                before = end;
                if (count < 6) continue;
                count = 0;
                if (field[0].length != last.length || memcmp(field[0].at, last.at, last.length)) {
                    if (part->n) finish(part, part->rows, part->n), part->n = 0;
                    last = field[0], list = line;
                    last.hash = hashed(last.at, last.length), query = *slot_of(&last) - 1;
                }
                if (query < 0) continue;
                if (part->n == part->room) {
                    part->room = 2 * part->room + 1024;
                    part->rows = room_for(part->rows, sizeof(Row) * part->room);
                }
                field[2].hash = hashed(field[2].at, field[2].length);
                part->rows[part->n++] = (Row) {field[2], number(field[4].at, field[4].length), query};
            }
        }
        if (at == part->until && count) stop("a line has not six words");
        if (at < part->until) { /* the last list, of which more may follow, is read again */
            memmove(text, text + list, held -= list);
            part->n = 0;
        }
    }
    if (part->n) finish(part, part->rows, part->n), part->n = 0;
    return NULL;
}

static Part parts[THREADS];

static char *whole(const char *path, int64_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file || fstat(fileno(file), &about)) stop(path);
    char *text = room_for(NULL, (*size = about.st_size) + AHEAD);
    if (fread(text, 1, *size, file) != (size_t) *size) stop(path);
    memset(text + *size, ' ', AHEAD);
    fclose(file);
    return text;
}

static void read_qrels(const char *path) { /* twice: to count what each query has, and to fill its table */
    int64_t size, lines = 0, room = 0;
    char *text = whole(path, &size);
    for (int64_t i = 0; i < size; i++) lines += text[i] == '\n';
    while (query_mask + 1 < 2 * lines + 8) query_mask = 2 * query_mask + 1;
    query_slots = room_for(NULL, 8 * (query_mask + 1)), memset(query_slots, 0, 8 * (query_mask + 1));
    queries = room_for(NULL, sizeof(Query) * (lines + 1));
    for (int fill = 0; fill < 2; fill++) {
        for (int64_t at = 0; at < size;) {
            Word field[4];
            for (int i = 0; i < 4; i++) {
                while (text[at] == ' ' || text[at] == '\t') at++;
                int64_t begin = at;
                while ((unsigned char) text[at] > ' ') at++;
                if (at == begin) stop("a judgement has not four words");
                field[i] = (Word) {text + begin, at - begin, 0, hashed(text + begin, at - begin)};
            }
            while (at < size && text[at] != '\n') at++;
            at++;
            int64_t *slot = slot_of(&field[0]);
            if (!*slot) queries[n_queries] = (Query) {.name = field[0]}, *slot = ++n_queries;
            Query *q = &queries[*slot - 1];
            if (!fill) { q->judged++; continue; }
            Word *table = judged + q->table;
            uint64_t place = field[2].hash & q->mask;
            for (; table[place].at; place = (place + 1) & q->mask)
                if (same(&table[place], &field[2])) stop("an item is judged twice");
            table[place] = field[2];
            int grade = table[place].grade = atoi(field[3].at), i = 9;
            if (grade <= 0) continue;
            q->relevant++;
            if (grade <= q->top[9]) continue;
            for (; i && q->top[i - 1] < grade; i--) q->top[i] = q->top[i - 1];
            q->top[i] = grade;
        }
        for (int64_t i = 0; i < n_queries && !fill; i++) {
            Query *q = &queries[i];
            q->table = room, q->mask = 3;
            while (q->mask + 1 < 2 * q->judged) q->mask = 2 * q->mask + 1;
            room += q->mask + 1;
        }
        if (!fill) judged = calloc(room, sizeof(Word));
    }
}

static int64_t next_list(int file, int64_t at, int64_t size) { /* where the first list begins behind a byte */
    for (int64_t room = 1 << 16;; room *= 4) {
        char *text = room_for(NULL, room + AHEAD);
        int64_t n = pread(file, text, room, at), line = 0;
        while (line < n && text[line++] != '\n');
        for (int64_t i = line, length = strcspn(text + line, " \t"); i < n; i++) {
            if (text[i] != '\n' || i + 1 + length >= n) continue;
            if (memcmp(text + i + 1, text + line, length + 1)) { free(text); return at + i + 1; }
        }
        free(text);
        if (at + n >= size) return size;
    }
}

static void evaluate(const char *path, int number_of_run, int is_one) {
    struct stat about;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about)) stop(path);
    int64_t size = about.st_size, middle = next_list(file, size / 2, size);
    pthread_t threads[THREADS];
    for (int64_t q = 0; q < n_queries; q++)
        queries[q].state = queries[q].p = queries[q].r = 0, queries[q].ap = queries[q].dcg = queries[q].rr = 0;
    for (int i = 0; i < THREADS; i++) {
        parts[i].file = file, parts[i].from = i ? middle : 0, parts[i].until = i ? size : middle;
        if (pthread_create(&threads[i], NULL, read_part, &parts[i])) stop("no thread");
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    close(file);
    double sums[5] = {0};
    for (int64_t i = 0; i < n_queries; i++) {
        Query *q = &queries[i];
        double ideal = 0;
        if (!q->relevant) continue;
        for (int rank = 1; rank <= 10; rank++) ideal += q->top[rank - 1] * discount[rank];
        double values[] = {q->ap / q->relevant, q->dcg / ideal, q->p / 10.0, (double) q->r / q->relevant, q->rr};
        for (int m = 0; m < 5; m++) sums[m] += values[m];
    }
    static const char *names[] = {"ap", "ndcg@10", "p@10", "r@100", "rr"};
    for (int m = 0; m < 5; m++) {
        printf(number_of_run + m ? ", " : "");
        if (is_one) printf("\"%s\": %.17g", names[m], sums[m] / n_queries);
        else printf("\"run %d, %s\": %.17g", number_of_run, names[m], sums[m] / n_queries);
    }
}

int main(int n, char **files) {
    if (n < 3) stop("limit_text QRELS RUN...");
    for (int rank = 1; rank <= 10; rank++) discount[rank] = 1 / log2(rank + 1);
    read_qrels(files[1]);
    printf("{\"values\": {");
    for (int i = 2; i < n; i++) evaluate(files[i], i - 2, n == 3);
    printf("}}\n");
    return 0;
}
