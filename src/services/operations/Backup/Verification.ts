import { Data, Effect } from "effect"
import { version } from "../../../domain/kernel/Version.ts"
import { Migrations } from "../../kernel/sql/Migrations.ts"
import { ArchiveRefused, type Manifest, type ReportProgress } from "./Archive.ts"
import { readArchiveFile } from "./ArchiveFile.ts"
import { readArchive } from "./ArchiveReader.ts"
import { archivedTables, Catalog } from "./Catalog.ts"
import type { Encryption } from "./Encryption.ts"

export interface ArchiveLocation {
  readonly path: string
  readonly encryption: Encryption | null
}

/** The file cannot be opened or read. */
export class ArchiveUnreadable extends Data.TaggedError("ArchiveUnreadable")<{ readonly cause: unknown }> {
  override get message() {
    return `the archive cannot be read: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

const asRefusal = (cause: unknown) => cause instanceof ArchiveRefused ? cause : new ArchiveUnreadable({ cause })

/** Reads the whole archive and verifies every byte. */
export const verifyArchive = Effect.fn("Restore.verify")(
  ({ encryption, path }: ArchiveLocation, report: ReportProgress) =>
    Effect.tryPromise({
      try: () => readArchive(readArchiveFile(path, encryption), { report }),
      catch: asRefusal
    })
)

/** The rows must be those of a revision that this program knows. */
export const requireKnownSchema = ({ program, revision, tables }: Manifest) =>
  Effect.gen(function*() {
    const { head } = yield* Migrations
    if (revision > head) {
      return yield* new ArchiveRefused({
        problem: "newer_schema",
        message: `svc ${program} wrote the archive at revision ${revision}, and this is svc ${version}, which knows ` +
          `revisions up to ${head}: restore it with svc ${program}`
      })
    }
    const known = yield* (yield* Catalog).tablesAt(revision)
    if (JSON.stringify(archivedTables(known)) !== JSON.stringify(tables)) {
      return yield* new ArchiveRefused({
        problem: "foreign",
        message: `the archive says revision ${revision}, and has other tables than that`
      })
    }
    return known
  })
