import { Console, DateTime, Effect, Option, Redacted, Stream } from "effect"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import { version } from "../../../domain/kernel/Version.ts"
import { settingDefinitions, Settings } from "../../../services/kernel/Settings.ts"
import type { Setting } from "../../../services/kernel/Settings/Kinds.ts"
import { standardInput } from "../../io/StandardInput.ts"
import { Environment } from "../../program/Environment.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { layerInspection } from "../../program/ReadOnlyDatabase.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import { listUnknownNames } from "../../program/UnknownNames.ts"
import { inspect } from "../Inspection.ts"
import type { bundleDefinitions } from "../serve.ts"
import { writeArchive } from "../support/Archive.ts"
import { readMigrations, readStatements, readTables } from "../support/Database.ts"
import { redactLogLine } from "../support/LogLines.ts"
import { readDatabaseVersion, readMachine, versions } from "../support/Machine.ts"
import { listSecrets, makeRedact, type Redact } from "../support/Redact.ts"
import { readBrain } from "../support/RunningBrain.ts"

/** The files of SVC_HOME that hold a secret, so that no log line can quote one. */
const secretFiles = ["secret.key", "audit-chain.key", "audit-signing.key", "metrics.token"]

const readSecretFiles = (home: string) =>
  Effect.forEach(secretFiles, (name) =>
    Effect.tryPromise(() => readFile(join(home, name), "utf8")).pipe(
      Effect.map((text) => text.trim()),
      Effect.orElseSucceed(() => "")
    ))

/** Numbers and switches as they are; texts redacted; of a secret only whether it is set. */
const describeSettings = (effective: typeof Settings.Service, redact: Redact) =>
  Object.entries(settingDefinitions).map(([key, one]) => {
    const setting = one as Setting<unknown> // the record's values differ in A only
    const value: unknown = Reflect.get(effective, key)
    const isSet = effective.sources.get(setting.name) ?? "default"
    return {
      name: setting.name,
      source: isSet,
      value: setting.secret || Redacted.isRedacted(value)
        ? value === null ? "not set" : "set"
        : redact(setting.print(value))
    }
  })

const maxLogBytes = 8 * 1024 * 1024

/** The end of the file, from its first whole line. */
const readEnd = async (path: string): Promise<string> => {
  const file = await open(path, "r")
  try {
    const { size } = await file.stat()
    const begin = Math.max(0, size - maxLogBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - begin), 0, size - begin, begin)
    const text = buffer.toString("utf8", 0, bytesRead)
    return begin === 0 ? text : text.slice(text.indexOf("\n") + 1)
  } finally {
    await file.close()
  }
}

const readLog = (path: string) =>
  path === "-"
    ? standardInput.pipe(
      Stream.decodeText(),
      Stream.runFold("", (text, chunk) => (text + chunk).slice(-maxLogBytes))
    )
    : Effect.tryPromise({
      try: () => readEnd(path),
      catch: () => new CliError({ message: `the log ${path} cannot be read` })
    })

const lastLines = (text: string, count: number): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.trim() !== "").slice(-count)

/** A part that cannot be read says why, and the others are still written. */
const orReason = <A, E, R>(part: Effect.Effect<A, E, R>, redact: Redact) =>
  part.pipe(
    Effect.timeout("30 seconds"),
    Effect.catchAllCause((cause) => Effect.succeed({ error: redact(String(cause)).slice(0, 2000) }))
  )

const readme = `What svc support-bundle collected. docs/support.md lists what each file has, and what is never in it.
Look through it before you send it.
`

/** Secrets of this length are no ordinary words, so that one of them in a file is a leak. */
const minLeakLength = 16

/** The last check, of what the parts should have excluded already: no secret of the settings is in any file. */
const requireNoSecret = (files: ReadonlyMap<string, string>, secrets: ReadonlySet<string>) =>
  Effect.forEach([...secrets].filter(({ length }) => length >= minLeakLength), (secret) => {
    const leak = [...files].find(([, text]) => text.includes(secret))
    return leak === undefined
      ? Effect.void
      : Effect.fail(
        new CliError({
          message: `${leak[0]} would hold a secret of the settings, so nothing was written. Please report this as a bug`
        })
      )
  }, { discard: true })

export const handlers: HandlersOf<typeof bundleDefinitions> = {
  "support-bundle": handleWithSettings(function*({ log, logLines, output }) {
    const effective = yield* Settings
    const secrets = listSecrets(effective, yield* readSecretFiles(effective.home))
    const redact = makeRedact(secrets)
    const logText = Option.isNone(log) ? null : yield* readLog(log.value)
    const inspectPart = <A, E, R>(part: Effect.Effect<A, E, R>) =>
      orReason(Effect.provide(part, layerInspection), redact)
    const brain = yield* orReason(readBrain(redact), redact)
    const now = DateTime.toDate(yield* DateTime.now)

    const parts: ReadonlyArray<readonly [string, unknown]> = [
      ["versions.json", { ...versions, database: yield* inspectPart(readDatabaseVersion) }],
      ["settings.json", {
        settings: describeSettings(effective, redact),
        unknown_names: listUnknownNames(yield* Environment).map(redact)
      }],
      [
        "check.json",
        yield* orReason(
          Effect.map(inspect, ({ database_exists, key_trouble, revision }) => ({
            database_exists,
            revision,
            keys: key_trouble === null ? "ok" : redact(key_trouble)
          })),
          redact
        )
      ],
      ["health.json", "health" in brain ? brain.health : brain],
      ["migrations.json", yield* inspectPart(readMigrations)],
      ["tables.json", yield* inspectPart(readTables)],
      ["statements.json", yield* inspectPart(readStatements)],
      ["machine.json", yield* readMachine(effective.home)]
    ]
    const files = new Map([
      ["README.txt", `${readme}svc ${version}, ${now.toISOString()}\n`],
      ...parts.map(([name, value]) => [name, `${JSON.stringify(value, null, 2)}\n`] as const),
      ["metrics.txt", "metrics" in brain && brain.metrics !== null ? brain.metrics : "not read: no brain answers\n"],
      [
        "log.jsonl",
        logText === null
          ? "{\"msg\":\"no log: name its file with --log, or - for standard input\"}\n"
          : lastLines(logText, logLines).map((line) => `${redactLogLine(redact)(line)}\n`).join("")
      ]
    ])
    yield* requireNoSecret(files, secrets)
    yield* writeArchive(output, files, now).pipe(
      Effect.mapError((error) =>
        new CliError({
          message: error.isThere
            ? `${output} exists already; name a new file`
            : `${output} cannot be written: ${String(error.cause)}`
        })
      )
    )
    for (const [name, value] of parts) {
      if (typeof value === "object" && value !== null && "error" in value) {
        yield* Console.warn(`Warning: ${name} has only the reason why it could not be read`)
      }
    }
    yield* Console.log(`wrote ${output}. It holds no secret by its design; look through it before you send it`)
  })
}
