import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Person, system } from "../../../src/domain/kernel/Actor.ts"
import { ApiKeyId, ProjectId, UserId } from "../../../src/domain/kernel/Id.ts"
import { Audit } from "../../../src/services/audit/Audit.ts"
import { checkCheckpoints } from "../../../src/services/audit/CheckpointCheck.ts"
import { Checkpoints } from "../../../src/services/audit/Checkpoints.ts"
import { exportHead } from "../../../src/services/audit/ExportHead.ts"
import { compareHead } from "../../../src/services/audit/KnownHead.ts"
import { pruneAudit } from "../../../src/services/audit/Prune.ts"
import { verifyLog } from "../../../src/services/audit/Verify.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { Keys } from "../../../src/services/kernel/keys/Keys.ts"
import type { Engine } from "../../databases.ts"
import { auditOn } from "../../services/audit/world.ts"
import { type Adversary, adversary, type Tables } from "./adversary.ts"
import type { Copies } from "./tamperings.ts"

interface File {
  readonly name: string
  readonly lines: Iterable<string>
}

export const program = join(import.meta.dirname, "../../../tools/verify-audit.mjs")

// the program is plain JavaScript without types
const { verifyAudit }: {
  readonly verifyAudit: (input: {
    readonly checkpoints: ReadonlyArray<File>
    readonly print: (line: string) => void
    readonly publicKeys: ReadonlyArray<string>
    readonly rows: File
  }) => Promise<number>
} = await import(pathToFileURL(program).href)

interface Log extends Copies {
  readonly they: Adversary
  /** Of the file of checkpoints, which they cannot write. */
  readonly path: string
  /** The newest row as it was exported and kept. */
  readonly head: string
}

export class World extends Context.Tag("test/World")<World, Log>() {}

export const person: Person = {
  kind: "person",
  user_id: UserId.make("01900000-0000-7000-8000-00000000000a"),
  email: "a@example.com",
  is_admin: true,
  roles: new Map(),
  refused_projects: new Set(),
  via: {
    kind: "api_key",
    api_key_id: ApiKeyId.make("01900000-0000-7000-8000-00000000000b"),
    scopes: new Set(),
    project_id: null,
    is_address_allowed: true
  },
  source_ip: "192.0.2.7",
  user_agent: "curl/8 \"é\" \ufffd"
}

export const append = (count: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const project_id = yield* Ids.nextOf(ProjectId)
    const entry = (n: number) => ({
      action: "project.updated",
      target_type: "project",
      target_id: `${project_id} ${n}`,
      project_id,
      event_id: `event ${n}`,
      metadata: { n, text: "\u{1F600} \" \\ \u2028 \x7f" }
    })
    const entries = Array.from(
      { length: count },
      (_, n) => ({ actor: n % 2 === 0 ? person : system("test"), entry: entry(n) })
    )
    yield* sql.withTransaction(audit.recordAll(entries))
  })

export const prune = (until: number) => pruneAudit(({ seq }) => seq <= until)

export const sign = Effect.flatMap(Checkpoints, (checkpoints) => checkpoints.sign(true))

const makeWorld = Effect.gen(function*() {
  const they = yield* adversary
  const { path } = yield* Checkpoints
  const read = Effect.promise(they.read)
  yield* Effect.zipRight(append(12), sign)
  yield* Effect.zipRight(append(8), sign)
  const older = yield* read
  yield* prune(3)
  const pruned = yield* read
  yield* prune(6)
  yield* Effect.zipRight(append(8), sign)
  yield* append(4)
  return { they, path, older, pruned, now: yield* read, head: yield* exportHead(yield* Keys) }
})

export const checkpointsIn = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n")

/** What the program without secrets prints of rows, and how many findings there are. */
export const examined = (
  checkpoints: ReadonlyArray<string>,
  rows: ReadonlyArray<string>,
  publicKeys: ReadonlyArray<string> = []
) =>
  Effect.gen(function*() {
    const { auditSigning: { signer } } = yield* Keys
    const printed: Array<string> = []
    const findings = yield* Effect.promise(() =>
      verifyAudit({
        checkpoints: [{ name: "checkpoints", lines: checkpoints }],
        print: (line) => printed.push(line),
        publicKeys: [signer.public_key, ...publicKeys],
        rows: { name: "rows", lines: rows }
      })
    )
    return { findings, printed: printed.join("\n") }
  })

/** The same of the log as it is. */
export const alone = (checkpoints: ReadonlyArray<string>, publicKeys: ReadonlyArray<string> = []) =>
  Effect.gen(function*() {
    const { they } = yield* World
    return yield* examined(checkpoints, yield* Effect.promise(they.exported), publicKeys)
  })

/** What each means says of the log as it is. */
export const means = Effect.gen(function*() {
  const { head, path } = yield* World
  const sql = yield* SqlClient.SqlClient
  const keys = yield* Keys
  const { trusted } = keys.auditSigning
  const lines = checkpointsIn(path)
  const verified = Option.getOrNull(yield* verifyLog(sql, keys))
  const compared = verified === null
    ? null
    : yield* checkCheckpoints(sql, Stream.fromIterable(lines), verified, trusted)
  const { findings, printed } = yield* alone(lines)
  return {
    shown: [
      verified === null ? "nothing" : verified.problem?.kind ?? "ok",
      compared?.problems[0]?.kind ?? "ok",
      findings === 0 ? "ok" : "broken"
    ],
    knownHead: verified === null ? null : (yield* compareHead(sql, head, verified, trusted)).result,
    printed
  }
})

/** Does something with a log that they made of ours, and puts ours back. */
export const onTampered = <A, E, R>(tamper: (copies: Copies) => Tables, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { now, older, pruned, they } = yield* World
    yield* Effect.promise(() => they.write(tamper({ now, older, pruned })))
    const audit = yield* Audit
    // as if this process had started again: what it wrote in between is gone
    const resetMemory = Effect.zipRight(Effect.sync(() => audit.committedHead.reset()), audit.resumeWrites)
    const restored = Effect.zipRight(Effect.promise(() => they.write(now)), resetMemory)
    return yield* Effect.ensuring(work, restored)
  })

/** The log and its copies, on a database of their own. */
export const worldOn = (engine: Engine) =>
  Layer.scoped(World, Effect.orDie(makeWorld)).pipe(Layer.provideMerge(auditOn(engine)))
