import { FileSystem } from "@effect/platform"
import { Cause, Console, Effect, Option, Stream } from "effect"
import { checkCheckpoints, type CheckpointReport } from "../../../services/audit/CheckpointCheck.ts"
import { checkpointPath } from "../../../services/audit/CheckpointFile.ts"
import { exportHead } from "../../../services/audit/ExportHead.ts"
import { cleanUpFork } from "../../../services/audit/ForkCleanup.ts"
import { exportAndDeleteFrozen } from "../../../services/audit/FrozenRows.ts"
import { compareHead, type HeadComparison } from "../../../services/audit/KnownHead.ts"
import { resealWatermark } from "../../../services/audit/ResealWatermark.ts"
import { activateChainKey, retireChainKey, stageChainKey } from "../../../services/audit/Rotation.ts"
import { type Verification, verifyLog } from "../../../services/audit/Verify.ts"
import { Keys } from "../../../services/kernel/keys/Keys.ts"
import { Settings } from "../../../services/kernel/Settings.ts"
import { Reader } from "../../../services/kernel/sql/Database.ts"
import { standardText } from "../../io/StandardInput.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError, explain, OutcomeUnknown } from "../../program/Explain.ts"
import { type HandlersOf, handleWith, type OptionsOf } from "../../program/Group.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import type { definitions } from "../audit.ts"
import { decodePublicKeys, layerAuditLog, layerReadOnly, readKeys } from "../AuditLog.ts"

/** A file, `-`, or the text itself. */
const textOf = (given: string) =>
  Effect.gen(function*() {
    if (given.trimStart().startsWith("{")) return given
    const fs = yield* FileSystem.FileSystem
    return given === "-"
      ? yield* standardText
      : yield* fs.readFileString(given)
  })

interface MeasuredFile {
  readonly path: string
  readonly upTo: { readonly bytesToRead?: FileSystem.Size }
}

/** A running brain may append checkpoints of rows after the verified head while the log is read, so only the size of now is read. A pipe has no size. */
const measureFile = (path: string) =>
  Effect.flatMap(
    FileSystem.FileSystem,
    (fs) =>
      Effect.map(
        fs.stat(path),
        ({ size, type }): MeasuredFile => ({ path, upTo: type === "File" ? { bytesToRead: size } : {} })
      )
  )

const linesOf = ({ path, upTo }: MeasuredFile) =>
  Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path, upTo))).pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.filter((line) => line !== "")
  )

/** The named files, else this machine's own, if it exists. */
const checkpointFiles = (named: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    if (named.length > 0) return named
    const fs = yield* FileSystem.FileSystem
    const own = checkpointPath(yield* Settings)
    return (yield* fs.exists(own)) ? [own] : []
  })

type CheckedFile = CheckpointReport & { readonly file: string }

const rowsText = ({ begin, head, rows, sealed }: Verification): ReadonlyArray<string> => [
  `rows: ${rows} verified${rows === 0 ? "" : `, from row ${begin.seq + 1}`}`,
  ...(begin.seq > 0 ? [`pruned: up to row ${begin.seq}, as the signed watermark says`] : []),
  ...(sealed > 0 ? [`sealed: ${sealed} rows of retired keys, proven by later rows`] : []),
  `head: row ${head.seq} ${head.row_hash}`
]

const checkpointText = ({ head }: Verification, checked: CheckedFile): ReadonlyArray<string> => {
  const { beginsLater, confirmed, file, problemCount, problems, pruned, upTo } = checked
  const newer = confirmed === 0 ? [] : [`${head.seq - upTo} rows are newer`]
  const parts = [`${confirmed} confirmed${confirmed === 0 ? "" : ` up to row ${upTo}`}`, ...newer]
  if (pruned > 0) parts.push(`${pruned} of pruned rows`)
  if (beginsLater > 0) parts.push(`${beginsLater} begin later than their first`)
  return [
    `checkpoints: ${escapeText(file)}: ${parts.join(", ")}`,
    ...problems.map(({ detail, kind, line }) => `  line ${line}: ${kind}: ${detail}`),
    ...(problemCount > problems.length ? [`  and ${problemCount - problems.length} more`] : [])
  ]
}

/** An attacker with write access to the database can delete the newest rows and restore an older head. Only data stored elsewhere reveals it. */
const noCheckpointsWarning =
  "checkpoints: none, so rows deleted from the end would not be noticed; see docs/audit.md, Checkpoints"

const checkVerdict = (found: Verification, checked: ReadonlyArray<CheckedFile>, head: HeadComparison | null) => {
  if (found.problem !== null) {
    return Effect.fail(
      new CliError({ message: `the audit log is broken: ${found.problem.kind}: ${found.problem.detail}` })
    )
  }
  const [first] = checked.flatMap(({ problems }) => problems)
  if (first !== undefined) {
    return Effect.fail(
      new CliError({ message: `the audit log and its checkpoints do not agree: ${first.kind}: ${first.detail}` })
    )
  }
  if (head === null || head.result.endsWith("_MATCH")) return Effect.void
  const message = `${head.result}: ${head.detail}`
  if (head.result === "UNPROVABLE") return Effect.fail(new OutcomeUnknown({ message }))
  return Effect.fail(new CliError({ message, code: head.result === "VERIFIED_ANCESTOR" ? 4 : 1 }))
}

const isVerdict = (error: unknown): boolean => error instanceof CliError || error instanceof OutcomeUnknown

/** Exit code 5 lets a monitor distinguish an unreadable database or file from a broken log. */
const reportUnreadable = (cause: Cause.Cause<unknown>) =>
  isVerdict(Cause.squash(cause)) || Cause.isInterruptedOnly(cause)
    ? Effect.failCause(cause)
    : Effect.fail(new CliError({ code: 5, message: `the audit log was not verified: ${explain(cause) ?? "unknown"}` }))

const readOnly = handleWith(layerReadOnly)

const changeLog = handleWith(layerAuditLog)

const verify = readOnly(function*({ checkpoints, json, knownHead, publicKey }: OptionsOf<typeof definitions.verify>) {
  const extraKeys = yield* decodePublicKeys(publicKey)
  const known = Option.isSome(knownHead) ? yield* textOf(knownHead.value) : null
  const localKeys = yield* readKeys
  const trusted = new Map([...localKeys.auditSigning.trusted, ...extraKeys.map((key) => [key.key_id, key] as const)])
  const keys = { ...localKeys, auditSigning: { ...localKeys.auditSigning, trusted } }
  const sql = yield* Reader
  const files = yield* Effect.forEach(yield* checkpointFiles(checkpoints), measureFile)
  const verification = Option.getOrNull(yield* verifyLog(sql, keys))
  if (verification === null) return yield* new CliError({ message: "no brain has served this database yet" })
  const checked = yield* Effect.forEach(files, (file) =>
    Effect.map(
      checkCheckpoints(sql, linesOf(file), verification, trusted),
      (report): CheckedFile => ({ file: file.path, ...report })
    ))
  const head = known === null ? null : yield* compareHead(sql, known, verification, trusted)
  if (json) {
    yield* Console.log(JSON.stringify({ ...verification, checkpoints: checked, known_head: head }))
  } else {
    const isGuarded = head !== null || checked.some(({ confirmed }) => confirmed > 0)
    const headLines = head === null ? [] : [`known head: ${head.result}: ${head.detail}`]
    const lines = [
      ...rowsText(verification),
      ...checked.flatMap((one) => checkpointText(verification, one)),
      ...(isGuarded ? [] : [noCheckpointsWarning]),
      ...headLines
    ]
    yield* Console.log(lines.join("\n"))
  }
  yield* checkVerdict(verification, checked, head)
})

export const handlers: HandlersOf<typeof definitions> = {
  verify: (options) => Effect.catchAllCause(verify(options), reportUnreadable),
  "export-head": readOnly(function*({ verify }) {
    const keys = yield* readKeys
    if (verify) {
      const found = Option.getOrNull(yield* verifyLog(yield* Reader, keys))
      if (found !== null && found.problem !== null) {
        return yield* new CliError({
          message: `the audit log is broken: ${found.problem.kind}: ${found.problem.detail}`
        })
      }
    }
    yield* Console.log(yield* exportHead(keys))
  }),
  "public-key": handleWithSettings(function*() {
    const { auditSigning: { trusted } } = yield* readKeys
    yield* Console.log([...trusted.values()].map(({ key_id, public_key }) => `${key_id} ${public_key}`).join("\n"))
  }),
  "rotate-chain-key": changeLog(function*(options) {
    const { auditChain } = yield* Keys
    const key_id = yield* stageChainKey
    if (options.activate) {
      yield* activateChainKey
      return yield* Console.log(`the key ${key_id} signs the audit log from now on`)
    }
    const where = auditChain.file === null ? "SVC_AUDIT_CHAIN_KEY" : auditChain.file
    yield* Console.log(
      `the key ${key_id} is in ${where}, and signs nothing yet. Give every replica the same keys, then run svc audit activate-chain-state`
    )
  }),
  "activate-chain-state": changeLog(function*() {
    const activation = yield* activateChainKey
    yield* Console.log(
      activation === null
        ? "no key is staged: there is nothing to activate"
        : `the key ${activation.to} signs the audit log from now on, instead of ${activation.from ?? "no key"}`
    )
  }),
  "retire-chain-key": changeLog(function*({ keyId, lost }) {
    const last = yield* retireChainKey(keyId, lost)
    const rows = last === null ? "none of its rows is left" : `its last row is ${last}, and later rows prove it`
    yield* Console.log(`the key ${keyId} is retired: ${rows}. Remove it from SVC_AUDIT_CHAIN_KEY at every replica`)
  }),
  "reseal-watermark": changeLog(function*({ publicKey }) {
    const seq = yield* resealWatermark(yield* decodePublicKeys(publicKey))
    yield* Console.log(
      seq === null
        ? "nothing to do: no row was pruned, or the active key has signed the watermark"
        : `signed the watermark at row ${seq} with the active key`
    )
  }),
  "export-and-delete-frozen": changeLog(function*({ output }) {
    const rows = yield* exportAndDeleteFrozen(output)
    yield* Console.log(
      rows === 0
        ? "nothing to do: no row was signed with a retired key"
        : `moved ${rows} rows from the log to ${output}`
    )
  }),
  "fork-cleanup": changeLog(function*() {
    const file = yield* cleanUpFork
    yield* Console.log(
      file === null
        ? "nothing to do: the audit log agrees with the last checkpoint of this machine"
        : `moved the former checkpoints to ${file}, recorded that in the log, and started new ones`
    )
  })
}
