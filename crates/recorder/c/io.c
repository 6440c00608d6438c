/* Files. EXTRA tells the calls apart, in the order of this list; SIZE is what this rank reads or writes. */
enum { FILE_OPEN, FILE_CLOSE, FILE_SYNC, FILE_READ, FILE_READ_AT, FILE_READ_ALL, FILE_READ_AT_ALL, FILE_READ_SHARED, FILE_READ_ORDERED,
       FILE_WRITE, FILE_WRITE_AT, FILE_WRITE_ALL, FILE_WRITE_AT_ALL, FILE_WRITE_SHARED, FILE_WRITE_ORDERED };

HIDDEN void file_event(struct thread *t, unsigned flags, int which, uint32_t comm, int64_t bytes) {
    struct event *e = event_new(t, FILE_CALL, flags, comm, BIT(SIZE) | BIT(EXTRA));
    e->field[SIZE] = bytes;
    e->field[EXTRA] = which;
}
int MPI_File_open(MPI_Comm comm, CONST char *name, int mode, MPI_Info info, MPI_File *file) {
    ENTER;
    int rc = PMPI(File_open)(comm, name, mode, info, file);
    LEAVE(file_event(t, COLLECTIVE, FILE_OPEN, comm_of(t, comm), 0));
    return rc;
}
#define ON_FILE(name, which, file_t)                            \
    int MPI_##name(file_t file) {                               \
        ENTER;                                                  \
        int rc = PMPI(name)(file);                              \
        LEAVE(file_event(t, COLLECTIVE, which, 0, 0));          \
        return rc;                                              \
    }
ON_FILE(File_close, FILE_CLOSE, MPI_File *)
ON_FILE(File_sync, FILE_SYNC, MPI_File)
#define FILE_MOVES(name, which, flags, parameters, arguments)                       \
    int MPI_##name(JUST parameters, MPI_Status *status) {                           \
        ENTER;                                                                      \
        int rc = PMPI(name)(JUST arguments, status);                                \
        LEAVE(file_event(t, flags, which, 0, bytes_of(t, count, type)));            \
        return rc;                                                                  \
    }
#define FILE_MOVES_LATER(name, which, parameters, arguments)                        \
    int MPI_##name(JUST parameters, MPI_Request *request) {                         \
        ENTER;                                                                      \
        int rc = PMPI(name)(JUST arguments, request);                               \
        LEAVE(file_event(t, NONBLOCKING, which, 0, bytes_of(t, count, type));       \
              request_add(t, *request, 0, 0));                                      \
        return rc;                                                                  \
    }
#define INTO (MPI_File file, void *buf, int count, MPI_Datatype type), (file, buf, count, type)
#define FROM (MPI_File file, CONST void *buf, int count, MPI_Datatype type), (file, buf, count, type)
#define INTO_AT (MPI_File file, MPI_Offset at, void *buf, int count, MPI_Datatype type), (file, at, buf, count, type)
#define FROM_AT (MPI_File file, MPI_Offset at, CONST void *buf, int count, MPI_Datatype type), (file, at, buf, count, type)
#define EXPANDED(m, ...) m(__VA_ARGS__)
EXPANDED(FILE_MOVES, File_read, FILE_READ, 0, INTO)
EXPANDED(FILE_MOVES, File_read_at, FILE_READ_AT, 0, INTO_AT)
EXPANDED(FILE_MOVES, File_read_all, FILE_READ_ALL, COLLECTIVE, INTO)
EXPANDED(FILE_MOVES, File_read_at_all, FILE_READ_AT_ALL, COLLECTIVE, INTO_AT)
EXPANDED(FILE_MOVES, File_read_shared, FILE_READ_SHARED, 0, INTO)
EXPANDED(FILE_MOVES, File_read_ordered, FILE_READ_ORDERED, COLLECTIVE, INTO)
EXPANDED(FILE_MOVES, File_write, FILE_WRITE, 0, FROM)
EXPANDED(FILE_MOVES, File_write_at, FILE_WRITE_AT, 0, FROM_AT)
EXPANDED(FILE_MOVES, File_write_all, FILE_WRITE_ALL, COLLECTIVE, FROM)
EXPANDED(FILE_MOVES, File_write_at_all, FILE_WRITE_AT_ALL, COLLECTIVE, FROM_AT)
EXPANDED(FILE_MOVES, File_write_shared, FILE_WRITE_SHARED, 0, FROM)
EXPANDED(FILE_MOVES, File_write_ordered, FILE_WRITE_ORDERED, COLLECTIVE, FROM)
EXPANDED(FILE_MOVES_LATER, File_iread, FILE_READ, INTO)
EXPANDED(FILE_MOVES_LATER, File_iread_at, FILE_READ_AT, INTO_AT)
EXPANDED(FILE_MOVES_LATER, File_iwrite, FILE_WRITE, FROM)
EXPANDED(FILE_MOVES_LATER, File_iwrite_at, FILE_WRITE_AT, FROM_AT)
