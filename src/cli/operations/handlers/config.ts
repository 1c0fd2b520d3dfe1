import { FileSystem } from "@effect/platform"
import { Console, Effect, Redacted } from "effect"
import { normalizeHostName } from "../../../domain/kernel/net/HostName.ts"
import { readMetricsToken, rotateMetricsToken } from "../../../layers/Keys.ts"
import { parseTunables, resolveHome, starterFile, tunablesFile } from "../../../layers/Settings.ts"
import {
  allowedHostsFile,
  configuredHostNames,
  parseHostNames,
  readAllowedHosts,
  reloadSeconds
} from "../../../services/kernel/AllowedHosts.ts"
import { replaceFile } from "../../../services/kernel/ReplaceFile.ts"
import { settingDefinitions, Settings } from "../../../services/kernel/Settings.ts"
import { listEffective } from "../../../services/kernel/Settings/Effective.ts"
import { Environment } from "../../program/Environment.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import type { definitions } from "../config.ts"

/** A host name as it was typed, normalized for comparison. */
const parseHost = (text: string) => {
  const name = normalizeHostName(text)
  return name === null
    ? Effect.fail(
      new CliError({
        usage: true,
        message: `${text} is not a host name or address; give it without https:// and without a port`
      })
    )
    : Effect.succeed(name)
}

/** The lines of the file, and an atomic write of new ones: a reader sees the old lines or the new ones. */
const openHostsFile = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const { home } = yield* Settings
  const file = allowedHostsFile(home)
  const content = (yield* fs.exists(file)) ? yield* fs.readFileString(file) : ""
  const write = (lines: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
      yield* replaceFile({ path: file, text: lines.map((line) => `${line}\n`).join("") })
    })
  return { lines: content.split(/\r?\n/).filter((line) => line !== ""), write }
})

export const handlers: HandlersOf<typeof definitions> = {
  init: handleWithSettings(function*({ force }) {
    const fs = yield* FileSystem.FileSystem
    const { home } = yield* Settings
    const file = tunablesFile(home)
    yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(file, starterFile, { flag: force ? "w" : "wx", mode: 0o600 }).pipe(
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
        () => new CliError({ message: `${file} exists already; --force overwrites it` })
      )
    )
    yield* Console.log(`wrote ${file}`)
  }),
  show: handleWithSettings(function*({ json, reveal }) {
    const effective = yield* Settings
    const keys = new Map(Object.entries(settingDefinitions).map(([key, { name }]) => [name, key]))
    const rows = listEffective(effective).map(({ name, source, value }) => {
      const plain: unknown = Reflect.get(effective, keys.get(name) ?? "")
      return { name, value: reveal && Redacted.isRedacted(plain) ? String(Redacted.value(plain)) : value, source }
    })
    yield* Console.log(
      json ? JSON.stringify(rows) : rows.map(({ name, source, value }) => `${name}=${value}  # ${source}`).join("\n")
    )
  }),
  validate: Effect.fnUntraced(function*() {
    const fs = yield* FileSystem.FileSystem
    const file = tunablesFile(resolveHome(yield* Environment))
    if (!(yield* fs.exists(file))) {
      return yield* Console.log(`${file} does not exist, so there is nothing to check (svc init writes one)`)
    }
    const { problems, values, warnings } = parseTunables(yield* fs.readFileString(file))
    if (problems.length > 0) return yield* new CliError({ message: `${file}: ${problems.join("; ")}` })
    for (const warning of warnings) yield* Console.warn(`Warning: ${file}: ${warning}`)
    yield* Console.log(`${file}: ok, ${values.size} settings`)
  }),
  list: handleWithSettings(function*({ json }) {
    const effective = yield* Settings
    const added = yield* readAllowedHosts(effective.home)
    const names = new Map([
      ...added.map((name) => [name, "added"] as const),
      ...configuredHostNames(effective).map((name) => [name, "settings"] as const),
      ...["localhost", "127.0.0.1", "::1"].map((name) => [name, "always"] as const)
    ])
    const rows = [...names].map(([host, source]) => ({ host, source })).sort((one, other) =>
      one.host.localeCompare(other.host, "en")
    )
    yield* Console.log(json ? JSON.stringify(rows) : rows.map(({ host, source }) => `${host}  # ${source}`).join("\n"))
  }),
  add: handleWithSettings(function*({ host }) {
    const name = yield* parseHost(host)
    const { lines, write } = yield* openHostsFile
    if (parseHostNames(lines.join("\n")).includes(name)) return yield* Console.log(`${name} is in the list already`)
    yield* write([...lines, name])
    yield* Console.log(`added ${name}; a running brain with this SVC_HOME accepts it within ${reloadSeconds} seconds`)
  }),
  remove: handleWithSettings(function*({ host }) {
    const name = yield* parseHost(host)
    const { lines, write } = yield* openHostsFile
    const kept = lines.filter((line) => !parseHostNames(line).includes(name))
    if (kept.length === lines.length) {
      return yield* new CliError({
        message: `${name} is not an added host name; svc allowed-hosts list shows the source of each name`
      })
    }
    yield* write(kept)
    yield* Console.log(`removed ${name}; a running brain with this SVC_HOME refuses it within ${reloadSeconds} seconds`)
  }),
  path: handleWithSettings(function*() {
    yield* Console.log(allowedHostsFile((yield* Settings).home))
  }),
  /** The token alone, for `$(svc metrics-token)`. Created on first use. */
  "metrics-token": handleWithSettings(function*() {
    yield* Console.log(Redacted.value(yield* readMetricsToken))
  }),
  rotate: handleWithSettings(function*() {
    const { metricsAuthToken } = yield* Settings
    if (metricsAuthToken !== null) {
      return yield* new CliError({
        message:
          "SVC_METRICS_AUTH_TOKEN sets the token, so a new one in SVC_HOME would have no effect; change the setting"
      })
    }
    const file = yield* rotateMetricsToken
    yield* Console.log(
      `wrote a new token to ${file}. Restart every brain that uses this SVC_HOME: until then it accepts the old token only. ` +
        "Then give the new one to the scrapers of /metrics (svc metrics-token prints it)"
    )
  })
}
