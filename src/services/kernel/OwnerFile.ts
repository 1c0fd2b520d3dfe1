import { chmodSync, closeSync, openSync, statSync } from "node:fs"

/**
 * The file and its `-wal` and `-shm` files get mode 0600 regardless of the umask: they contain task arguments and
 * password hashes. SQLite gives `-wal` and `-shm` the mode of the file. A file of another owner stays unchanged.
 */
export const restrictToOwner = (file: string): void => {
  if (file === ":memory:") return
  // a file that is there is opened by SQLite, whose error says whether it is read-only or cannot be reached
  if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, "a", 0o600))
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    const { mode, uid } = statSync(one, { throwIfNoEntry: false }) ?? {}
    if (mode !== undefined && uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(one, 0o600)
  }
}
