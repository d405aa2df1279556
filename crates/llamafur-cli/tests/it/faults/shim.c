/* Fails the n-th system call of a kind on files below a folder, for tests.
 *
 * Loaded by LD_PRELOAD into the program under test. A seccomp filter turns the calls of these kinds into a signal, whose handler makes
 * them fail or makes them itself, by an instruction that the filter lets pass. So calls that do not go through the C library are seen too.
 *
 *   FAULT_FOLDER  the folder, absolute; calls on other files are let through and not counted
 *   FAULT_KIND    create, write, sync, rename, map or remove; none: nothing fails
 *   FAULT_NUMBER  the number of the call that fails, from 1; with + before it all from there on
 *   FAULT_ERROR   the errno; 0 kills the process
 *   FAULT_COUNTS  a file to which the numbers of calls are written at the end: "kind number" a line
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { CREATE, WRITE, SYNC, RENAME, MAP, REMOVE, KINDS };
static const char *const names[KINDS] = {"create", "write", "sync", "rename", "map", "remove"};
static const struct { int number, kind; } calls[] = {
#ifdef SYS_open
    {SYS_open, CREATE}, {SYS_mkdir, CREATE}, {SYS_rename, RENAME}, {SYS_link, RENAME}, {SYS_unlink, REMOVE}, {SYS_rmdir, REMOVE},
    {SYS_creat, CREATE},
#endif
#ifdef SYS_renameat
    {SYS_renameat, RENAME},
#endif
    {SYS_openat, CREATE}, {SYS_openat2, CREATE}, {SYS_mkdirat, CREATE}, {SYS_write, WRITE}, {SYS_pwrite64, WRITE}, {SYS_writev, WRITE},
    {SYS_pwritev, WRITE}, {SYS_ftruncate, WRITE}, {SYS_fallocate, WRITE}, {SYS_copy_file_range, WRITE}, {SYS_sendfile, WRITE},
    {SYS_fsync, SYNC}, {SYS_fdatasync, SYNC}, {SYS_renameat2, RENAME}, {SYS_linkat, RENAME}, {SYS_mmap, MAP}, {SYS_unlinkat, REMOVE},
};
enum { CALLS = sizeof calls / sizeof *calls };

static atomic_int counts[KINDS];
static const char *folder, *counts_to;
static size_t folder_length;
static int fault_kind = -1, fault_number, fault_error, fault_goes_on;

/* The one instruction that the filter lets pass. */
long shim_call(long number, long a, long b, long c, long d, long e, long f);
extern char shim_call_end[];
#if defined __x86_64__
__asm__(".text\n.globl shim_call\n.globl shim_call_end\nshim_call:\n"
        "mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsi\nmov %rcx,%rdx\nmov %r8,%r10\nmov %r9,%r8\nmov 8(%rsp),%r9\nsyscall\n"
        "shim_call_end:\nret\n");
enum { ARCH = AUDIT_ARCH_X86_64 };
#elif defined __aarch64__
__asm__(".text\n.globl shim_call\n.globl shim_call_end\nshim_call:\n"
        "mov x8,x0\nmov x0,x1\nmov x1,x2\nmov x2,x3\nmov x3,x4\nmov x4,x5\nmov x5,x6\nsvc #0\nshim_call_end:\nret\n");
enum { ARCH = AUDIT_ARCH_AARCH64 };
#endif

static int is_below(const char *path) {
    return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

/* Whether an open file, or the current folder, is below the folder. */
static int is_open_below(long fd) {
    char link[40], path[4096];
    if ((int)fd == AT_FDCWD) {
        strcpy(link, "/proc/self/cwd");
    } else {
        char digits[12];
        int length = 0, number = (int)fd;
        if (number < 0) return 0;
        do digits[length++] = (char)('0' + number % 10); while (number /= 10);
        strcpy(link, "/proc/self/fd/");
        char *end = link + strlen(link);
        while (length) *end++ = digits[--length];
        *end = 0;
    }
    long got = shim_call(SYS_readlinkat, AT_FDCWD, (long)link, (long)path, sizeof path - 1, 0, 0);
    if (got <= 0) return 0;
    path[got] = 0;
    return is_below(path);
}

static int is_path_below(long fd, long path) {
    const char *text = (const char *)path;
    return text && text[0] == '/' ? is_below(text) : is_open_below(fd);
}

/* Whether a call is on a file below the folder, and makes, writes, syncs, renames, maps or removes something. */
static int counts_as(int number, const long a[6]) {
    switch (number) {
#ifdef SYS_open
    case SYS_open: return (a[1] & O_CREAT) && is_path_below(AT_FDCWD, a[0]);
    case SYS_creat: case SYS_mkdir: case SYS_unlink: case SYS_rmdir: return is_path_below(AT_FDCWD, a[0]);
    case SYS_rename: case SYS_link: return is_path_below(AT_FDCWD, a[1]);
#endif
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_renameat2: case SYS_linkat: return is_path_below(a[2], a[3]);
    case SYS_openat: return (a[2] & O_CREAT) && is_path_below(a[0], a[1]);
    case SYS_openat2: return (*(uint64_t *)a[2] & O_CREAT) && is_path_below(a[0], a[1]);
    case SYS_mkdirat: case SYS_unlinkat: return is_path_below(a[0], a[1]);
    case SYS_copy_file_range: return is_open_below(a[2]);
    case SYS_mmap: return (int)a[4] >= 0 && !(a[3] & MAP_ANONYMOUS) && is_open_below(a[4]);
    default: return is_open_below(a[0]);
    }
}

static void handler(int signal, siginfo_t *info, void *context) {
    (void)signal;
    ucontext_t *user = context;
#if defined __x86_64__
    greg_t *r = user->uc_mcontext.gregs;
    long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    greg_t *result = &r[REG_RAX];
#elif defined __aarch64__
    unsigned long long *r = user->uc_mcontext.regs;
    long a[6] = {r[0], r[1], r[2], r[3], r[4], r[5]};
    unsigned long long *result = &r[0];
#endif
    int number = info->si_syscall, kind = -1;
    for (int i = 0; i < CALLS; i++)
        if (calls[i].number == number) kind = calls[i].kind;
    if (kind >= 0 && counts_as(number, a)) {
        int count = atomic_fetch_add(&counts[kind], 1) + 1;
        if (kind == fault_kind && (count == fault_number || (fault_goes_on && count > fault_number))) {
            if (fault_error == 0) shim_call(SYS_kill, getpid(), SIGKILL, 0, 0, 0, 0);
            /* A disk that is getting full takes a part of what is written first. */
            if (number == SYS_write && count == fault_number && fault_goes_on && a[2] > 1) {
                *result = shim_call(number, a[0], a[1], a[2] / 2, 0, 0, 0);
                return;
            }
            *result = -fault_error;
            return;
        }
    }
    *result = shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void write_counts(void) {
    if (!counts_to) return;
    int fd = (int)shim_call(SYS_openat, AT_FDCWD, (long)counts_to, O_WRONLY | O_CREAT | O_TRUNC, 0600, 0, 0);
    for (int kind = 0; kind < KINDS; kind++) {
        char line[64];
        int length = snprintf(line, sizeof line, "%s %d\n", names[kind], atomic_load(&counts[kind]));
        shim_call(SYS_write, fd, (long)line, length, 0, 0, 0);
    }
    shim_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

__attribute__((constructor)) static void start(void) {
    folder = getenv("FAULT_FOLDER");
    if (!folder) return;
    folder_length = strlen(folder);
    counts_to = getenv("FAULT_COUNTS");
    const char *kind = getenv("FAULT_KIND"), *number = getenv("FAULT_NUMBER"), *error = getenv("FAULT_ERROR");
    for (int i = 0; kind && i < KINDS; i++)
        if (strcmp(kind, names[i]) == 0) fault_kind = i;
    fault_goes_on = number && number[0] == '+';
    fault_number = number ? atoi(number) : 0;
    fault_error = error ? atoi(error) : EIO;
    atexit(write_counts);

    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &action, NULL)) _exit(99);
    uint64_t passes = (uint64_t)(uintptr_t)shim_call_end;
    struct sock_filter filter[8 + CALLS + 2];
    int length = 0;
#define LOAD(field) filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
    LOAD(arch);
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, 4 + 1 + CALLS);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)passes, 0, 2);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(passes >> 32), 1 + CALLS, 0);
    LOAD(nr);
    for (int i = 0; i < CALLS; i++)
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, CALLS - i, 0);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {.len = (unsigned short)length, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(98);
}
