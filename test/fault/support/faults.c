#include "faults.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"

static struct fault_plan *plan;
static long outstanding;
static sqlite3_mem_methods real_memory;
static sqlite3_vfs *real_vfs;
static sqlite3_vfs vfs;

/* An open file of ours; SQLite gives the room for it, and for the real one
 * behind it. */
struct file {
    sqlite3_file base;
    sqlite3_file *real;
};

static bool
fails(enum fault_kind kind)
{
    if (plan == NULL || plan->kind != kind)
        return false;
    if (plan->fired)
        return plan->persistent;
    plan->countdown--;
    plan->fired = plan->countdown == 0;
    if (plan->fired && plan->act != NULL) {
        plan->act();
        return false;
    }
    return plan->fired;
}

void
faults_arm(struct fault_plan *next)
{
    plan = next;
}

const char *
fault_kind_word(enum fault_kind kind)
{
    static const char *const words[FAULT_KINDS] = {
        "nothing",  "allocation", "malloc of SQLite", "open",
        "read",     "write",      "write, disk full", "sync",
        "truncate", "lock",       "shared map",       "shared lock",
    };

    return words[kind];
}

/* ---- Memory ------------------------------------------------------------- */

static void *
allocate(void *ctx, size_t count, size_t size)
{
    void *memory = NULL;

    (void)ctx;
    if (!fails(FAULT_ALLOC))
        memory = hf_calloc(&hf_alloc_libc, count, size);
    if (memory != NULL)
        outstanding++;
    return memory;
}

static void
release(void *ctx, void *memory)
{
    (void)ctx;
    outstanding--;
    hf_free(&hf_alloc_libc, memory);
}

const struct hf_alloc faults_alloc = {allocate, release, NULL};

long
faults_alloc_outstanding(void)
{
    return outstanding;
}

static void *
memory_malloc(int size)
{
    return fails(FAULT_MALLOC) ? NULL : real_memory.xMalloc(size);
}

static void *
memory_realloc(void *memory, int size)
{
    return fails(FAULT_MALLOC) ? NULL : real_memory.xRealloc(memory, size);
}

/* ---- Files -------------------------------------------------------------- */

static sqlite3_file *
real_of(sqlite3_file *file)
{
    return ((struct file *)file)->real;
}

static int
file_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int
file_read(sqlite3_file *file, void *bytes, int len, sqlite3_int64 offset)
{
    if (fails(FAULT_READ))
        return SQLITE_IOERR_READ;
    return real_of(file)->pMethods->xRead(real_of(file), bytes, len, offset);
}

static int
file_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 offset)
{
    bool full = fails(FAULT_FULL);
    int written = full ? len / 2 : len;
    int code =
        real_of(file)->pMethods->xWrite(real_of(file), bytes, written, offset);

    if (full)
        return SQLITE_FULL;
    return fails(FAULT_WRITE) ? SQLITE_IOERR_WRITE : code;
}

static int
file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (fails(FAULT_TRUNCATE))
        return SQLITE_IOERR_TRUNCATE;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int
file_sync(sqlite3_file *file, int flags)
{
    int code = real_of(file)->pMethods->xSync(real_of(file), flags);

    return fails(FAULT_SYNC) ? SQLITE_IOERR_FSYNC : code;
}

static int
file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int
file_lock(sqlite3_file *file, int level)
{
    if (fails(FAULT_LOCK))
        return SQLITE_IOERR_LOCK;
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int
file_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int
file_check_reserved(sqlite3_file *file, int *reserved)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), reserved);
}

static int
file_control(sqlite3_file *file, int op, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), op, argument);
}

static int
file_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int
file_characteristics(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int
file_shm_map(sqlite3_file *file, int page, int size, int extend,
             void volatile **memory)
{
    if (fails(FAULT_SHARED_MAP))
        return SQLITE_IOERR_SHMSIZE;
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend,
                                            memory);
}

static int
file_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    if ((flags & SQLITE_SHM_LOCK) != 0 && fails(FAULT_SHARED_LOCK))
        return SQLITE_IOERR_SHMLOCK;
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count,
                                             flags);
}

static void
file_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int
file_shm_unmap(sqlite3_file *file, int delete)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

static int
vfs_open(sqlite3_vfs *self, const char *name, sqlite3_file *opened, int flags,
         int *flags_out)
{
    struct file *file = (struct file *)opened;
    int code;

    (void)self;
    file->base.pMethods = NULL;
    if (fails(FAULT_OPEN))
        return SQLITE_CANTOPEN;
    file->real = (sqlite3_file *)(file + 1);
    code = real_vfs->xOpen(real_vfs, name, file->real, flags, flags_out);
    if (code == SQLITE_OK)
        file->base.pMethods = &file_methods;
    return code;
}

void
faults_install(void)
{
    static sqlite3_mem_methods memory;

    HF_CHECK(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory) ==
             SQLITE_OK);
    memory = real_memory;
    memory.xMalloc = memory_malloc;
    memory.xRealloc = memory_realloc;
    HF_CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) == SQLITE_OK);
    HF_CHECK(sqlite3_initialize() == SQLITE_OK);

    real_vfs = sqlite3_vfs_find(NULL);
    vfs = *real_vfs;
    vfs.zName = "faults";
    vfs.szOsFile = (int)sizeof(struct file) + real_vfs->szOsFile;
    vfs.xOpen = vfs_open;
    HF_CHECK(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
}
