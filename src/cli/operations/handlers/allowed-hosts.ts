import { FileSystem } from "@effect/platform"
import { Console, Effect } from "effect"
import { normalizeHostName } from "../../../domain/kernel/net/HostName.ts"
import {
  allowedHostsFile,
  configuredHostNames,
  parseHostNames,
  readAllowedHosts,
  reloadSeconds
} from "../../../services/kernel/AllowedHosts.ts"
import { replaceFile } from "../../../services/kernel/ReplaceFile.ts"
import { Settings } from "../../../services/kernel/Settings.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import type { hostDefinitions } from "../config.ts"

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

export const handlers: HandlersOf<typeof hostDefinitions> = {
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
  })
}
