/**
 * The names of SQLite's result codes (https://www.sqlite.org/rescode.html): all primary ones, and the extended ones that
 * the program distinguishes.
 */
const primaryCodes =
  "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING"
    .split(" ")

const extendedCodes: Readonly<Record<number, string>> = {
  517: "BUSY_SNAPSHOT",
  522: "IOERR_SHORT_READ",
  275: "CONSTRAINT_CHECK",
  787: "CONSTRAINT_FOREIGNKEY",
  1299: "CONSTRAINT_NOTNULL",
  1555: "CONSTRAINT_PRIMARYKEY",
  1811: "CONSTRAINT_TRIGGER",
  2067: "CONSTRAINT_UNIQUE",
  2579: "CONSTRAINT_ROWID",
  3091: "CONSTRAINT_DATATYPE"
}

/** The name of a result code, as better-sqlite3 has it: "SQLITE_CONSTRAINT_UNIQUE". */
export const nameOfCode = (code: number): string =>
  `SQLITE_${extendedCodes[code] ?? primaryCodes[code & 0xff] ?? "ERROR"}` // the low byte is the primary code
