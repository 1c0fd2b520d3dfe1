import { Effect } from "effect"
import { statfs } from "node:fs/promises"
import os from "node:os"
import { version } from "../../../domain/kernel/Version.ts"
import { packages } from "../../../domain/operations/Packages.ts"
import { openFilesLimit } from "../../../layers/Connections.ts"
import { Database } from "../../../services/kernel/sql/Database.ts"
import { readDatabaseInfo } from "../../../services/operations/DatabaseInfo.ts"

export const versions = {
  svc: version,
  node: process.version,
  components: process.versions,
  os: { platform: process.platform, release: os.release(), arch: process.arch },
  packages
}

/** The database's own version. */
export const readDatabaseVersion = Effect.gen(function*() {
  const { dialect } = yield* Database
  const { version } = yield* readDatabaseInfo
  return { dialect, version }
})

/** Processors, memory, and the disk of SVC_HOME. No names: neither of the machine nor of its users. */
export const readMachine = (home: string) =>
  Effect.gen(function*() {
    const disk = yield* Effect.option(Effect.tryPromise(() => statfs(home)))
    return {
      processors: os.availableParallelism(),
      load: os.loadavg(),
      memory_bytes: { total: os.totalmem(), free: os.freemem() },
      uptime_seconds: os.uptime(),
      open_files_limit: yield* openFilesLimit,
      disk_of_home_bytes: disk._tag === "None"
        ? null
        : { total: disk.value.blocks * disk.value.bsize, free: disk.value.bavail * disk.value.bsize }
    }
  })
