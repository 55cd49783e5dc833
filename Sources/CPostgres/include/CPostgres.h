/* The functions of libpq that the ledger uses, with the names, types and numbers of libpq.so.5 since PostgreSQL 14
   (PostgreSQL documentation, part IV, chapter "libpq - C Library"). The library is loaded at run time: no program links it, and it is
   needed only where a ledger is on PostgreSQL. */
#ifndef CPOSTGRES_H
#define CPOSTGRES_H

/* Loads the library, once. Returns NULL, or why there is none: a sentence that stays. The functions below may be called only after it
   returned NULL. */
const char *CPostgresLoad(void);

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;

typedef enum { CONNECTION_OK = 0 } ConnStatusType;

typedef enum {
    PGRES_COMMAND_OK = 1,
    PGRES_TUPLES_OK = 2,
    PGRES_PIPELINE_SYNC = 10,
    PGRES_PIPELINE_ABORTED = 11
} ExecStatusType;

typedef enum { PQTRANS_IDLE = 0, PQTRANS_ACTIVE = 1, PQTRANS_INTRANS = 2, PQTRANS_INERROR = 3 } PGTransactionStatusType;

/* The first fields are the caller's; `next` belongs to libpq. */
typedef struct pgNotify {
    char *relname;
    int be_pid;
    char *extra;
    struct pgNotify *next;
} PGnotify;

typedef struct PQconninfoOption {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} PQconninfoOption;

typedef void (*PQnoticeReceiver)(void *argument, const PGresult *result);

/* Each function: its result, its name, its parameters, and the arguments to pass on. */
#define CPOSTGRES_FUNCTIONS(FUNCTION) \
    FUNCTION(PGconn *, PQconnectdb, (const char *conninfo), (conninfo)) \
    FUNCTION(int, PQbackendPID, (const PGconn *conn), (conn)) \
    FUNCTION(int, PQserverVersion, (const PGconn *conn), (conn)) \
    FUNCTION(int, PQsocket, (const PGconn *conn), (conn)) \
    FUNCTION(ConnStatusType, PQstatus, (const PGconn *conn), (conn)) \
    FUNCTION(PGTransactionStatusType, PQtransactionStatus, (const PGconn *conn), (conn)) \
    FUNCTION(char *, PQerrorMessage, (const PGconn *conn), (conn)) \
    FUNCTION(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *conn, PQnoticeReceiver receiver, void *argument), (conn, receiver, argument)) \
    FUNCTION(int, PQsetnonblocking, (PGconn *conn, int isNonblocking), (conn, isNonblocking)) \
    FUNCTION(int, PQenterPipelineMode, (PGconn *conn), (conn)) \
    FUNCTION(int, PQpipelineSync, (PGconn *conn), (conn)) \
    FUNCTION(int, PQsendPrepare, (PGconn *conn, const char *name, const char *query, int count, const Oid *types), (conn, name, query, count, types)) \
    FUNCTION(int, PQsendQueryPrepared, \
        (PGconn *conn, const char *name, int count, const char *const *values, const int *lengths, const int *formats, int resultFormat), \
        (conn, name, count, values, lengths, formats, resultFormat)) \
    FUNCTION(int, PQsendQueryParams, \
        (PGconn *conn, const char *query, int count, const Oid *types, const char *const *values, const int *lengths, const int *formats, int resultFormat), \
        (conn, query, count, types, values, lengths, formats, resultFormat)) \
    FUNCTION(int, PQflush, (PGconn *conn), (conn)) \
    FUNCTION(int, PQconsumeInput, (PGconn *conn), (conn)) \
    FUNCTION(int, PQisBusy, (PGconn *conn), (conn)) \
    FUNCTION(PGresult *, PQgetResult, (PGconn *conn), (conn)) \
    FUNCTION(PGnotify *, PQnotifies, (PGconn *conn), (conn)) \
    FUNCTION(ExecStatusType, PQresultStatus, (const PGresult *result), (result)) \
    FUNCTION(char *, PQresultErrorMessage, (const PGresult *result), (result)) \
    FUNCTION(char *, PQresultErrorField, (const PGresult *result, int code), (result, code)) \
    FUNCTION(int, PQntuples, (const PGresult *result), (result)) \
    FUNCTION(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column)) \
    FUNCTION(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column)) \
    FUNCTION(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column)) \
    FUNCTION(char *, PQcmdStatus, (PGresult *result), (result)) \
    FUNCTION(char *, PQcmdTuples, (PGresult *result), (result)) \
    FUNCTION(PQconninfoOption *, PQconndefaults, (void), ())

/* Those without a result. */
#define CPOSTGRES_PROCEDURES(PROCEDURE) \
    PROCEDURE(PQfinish, (PGconn *conn), (conn)) \
    PROCEDURE(PQclear, (PGresult *result), (result)) \
    PROCEDURE(PQfreemem, (void *memory), (memory)) \
    PROCEDURE(PQconninfoFree, (PQconninfoOption *options), (options))

#define CPOSTGRES_FIELD(result, name, parameters, arguments) result(*name) parameters;
#define CPOSTGRES_FIELD_WITHOUT_RESULT(name, parameters, arguments) void(*name) parameters;

/* The loaded functions. */
struct CPostgresTable {
    CPOSTGRES_FUNCTIONS(CPOSTGRES_FIELD)
    CPOSTGRES_PROCEDURES(CPOSTGRES_FIELD_WITHOUT_RESULT)
};
extern struct CPostgresTable CPostgresLoaded __attribute__((visibility("hidden")));

#define CPOSTGRES_CALL(result, name, parameters, arguments) \
    static inline result name parameters { return CPostgresLoaded.name arguments; }
#define CPOSTGRES_CALL_WITHOUT_RESULT(name, parameters, arguments) \
    static inline void name parameters { CPostgresLoaded.name arguments; }

CPOSTGRES_FUNCTIONS(CPOSTGRES_CALL)
CPOSTGRES_PROCEDURES(CPOSTGRES_CALL_WITHOUT_RESULT)

#endif
