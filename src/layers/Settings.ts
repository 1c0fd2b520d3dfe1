import { FileSystem } from "@effect/platform"
import { Data, Effect, Either, Layer } from "effect"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { settingDefinitions, Settings, type SettingSource, type SettingsShape } from "../services/kernel/Settings.ts"
import { deprecatedSettings } from "../services/kernel/Settings/Deprecated.ts"
import type { Setting } from "../services/kernel/Settings/Kinds.ts"

/** The program cannot start with these settings; `problems` has one sentence each. */
export class SettingsInvalid extends Data.TaggedError("SettingsInvalid")<{ readonly problems: ReadonlyArray<string> }> {
  override get message() {
    return this.problems.join("\n")
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export const tunablesFile = (home: string): string => join(home, "svc.conf")

/** What `svc init` writes: every tunable with its line of text and its default, commented out. */
export const starterFile: string = [
  "# Settings of svc. Take the # away to change one; the environment comes before this file.",
  "# Secrets, addresses and the database are set in the environment only.",
  ...Object.values(settingDefinitions).map((setting) => setting as Setting<unknown>) // they differ in A only
    .filter(({ tunable }) => tunable)
    .flatMap(({ default: value, line, name, print, type }) => ["", `# ${line} (${type})`, `#${name}=${print(value)}`])
].join("\n") + "\n"

/** Lines of `NAME=value`; `#` begins a comment. Shared with `svc config validate`. */
export const parseTunables = (
  content: string
): { values: Map<string, string>; problems: Array<string>; warnings: Array<string> } => {
  const values = new Map<string, string>()
  const problems: Array<string> = []
  const warnings: Array<string> = []
  const byName = new Map(
    Object.values(settingDefinitions).map((setting) => [setting.name, setting as Setting<unknown>])
  )
  content.split(/\r?\n/).forEach((line, index) => {
    const trimmed = line.trim()
    if (trimmed === "" || trimmed.startsWith("#")) return
    const separator = trimmed.indexOf("=")
    const name = separator === -1 ? trimmed : trimmed.slice(0, separator).trim()
    const setting = byName.get(name)
    if (separator === -1) problems.push(`line ${index + 1}: expected NAME=value`)
    else if (deprecatedSettings.has(name)) {
      warnings.push(`line ${index + 1}: ${name} is no longer used; remove the line`)
    } else if (setting === undefined) problems.push(`line ${index + 1}: ${name} is not a setting`)
    else if (!setting.tunable) {
      problems.push(`line ${index + 1}: ${name} cannot be set in this file; set it in the environment`)
    } else {
      const value = trimmed.slice(separator + 1).trim()
      const parsed = setting.parse(value)
      if (Either.isLeft(parsed)) problems.push(`line ${index + 1}: ${name} ${parsed.left}`)
      else values.set(name, value)
    }
  })
  return { values, problems, warnings }
}

/** Absolute path of SVC_HOME; `~/.svc` when it is not set. */
export const resolveHome = (environment: Environment): string =>
  resolve(
    environment.SVC_HOME === undefined || environment.SVC_HOME === "" ? join(homedir(), ".svc") : environment.SVC_HOME
  )

/**
 * The setting's text in the environment: `NAME`, or for a secret the content of the file `NAME_FILE`. Fails with a
 * sentence.
 */
export const readEnvironment = <A>(environment: Environment, { name, secret }: Setting<A>) =>
  Effect.gen(function*() {
    const text = environment[name] ?? ""
    if (text !== "") return { text, source: "environment" } as const
    const path = secret ? environment[`${name}_FILE`] ?? "" : ""
    if (path === "") return null
    const fs = yield* FileSystem.FileSystem
    const content = yield* Effect.mapError(fs.readFileString(path), () => `${name}_FILE: cannot read ${path}`)
    return { text: content.trim(), source: "file", path } as const
  })

const readSettings = (environment: Environment, overrides: Partial<SettingsShape>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const home = resolveHome(environment)
    const problems: Array<string> = []
    const file = tunablesFile(home)
    const tunables = (yield* Effect.orElseSucceed(fs.exists(file), () => false))
      ? parseTunables(yield* fs.readFileString(file))
      : parseTunables("")
    problems.push(...tunables.problems.map((problem) => `${file}: ${problem}`))

    const values: Record<string, unknown> = {}
    const sources = new Map<string, SettingSource>()
    const files = new Map<string, string>()
    for (const [key, declaration] of Object.entries(settingDefinitions)) {
      const setting = declaration as Setting<unknown> // the record's values differ in A only; parse and default belong together
      let source: SettingSource = "default"
      let text: string | undefined
      const fromEnv = yield* Effect.either(readEnvironment(environment, setting))
      if (Either.isLeft(fromEnv)) {
        source = "file"
        problems.push(fromEnv.left)
      } else if (fromEnv.right !== null) {
        ;({ source, text } = fromEnv.right)
        if (fromEnv.right.source === "file") files.set(setting.name, fromEnv.right.path)
      } else if (tunables.values.has(setting.name)) {
        source = "tunables"
        text = tunables.values.get(setting.name)
      }
      const parsed = text === undefined ? Either.right(setting.default) : setting.parse(text)
      if (Either.isLeft(parsed)) problems.push(`${setting.name} ${parsed.left}`)
      else values[key] = parsed.right
      sources.set(setting.name, source)
    }
    for (const [key, value] of Object.entries(overrides)) {
      values[key] = value
      if (key in settingDefinitions) {
        sources.set(settingDefinitions[key as keyof typeof settingDefinitions].name, "option")
      }
    }
    if (problems.length > 0) {
      return yield* new SettingsInvalid({ problems })
    }
    // every key of `declared` was filled above, with its own parse or default
    const settings = values as unknown as SettingsShape
    const conflicts = findConflicts(settings)
    if (conflicts.length > 0) return yield* new SettingsInvalid({ problems: conflicts })
    return { ...settings, home, sources, files }
  })

/** Checks across several settings. */
const findConflicts = ({ auditWebhookHmacSecret, auditWebhookUrl }: SettingsShape): ReadonlyArray<string> =>
  auditWebhookUrl !== null && auditWebhookHmacSecret === null
    ? [
      "SVC_AUDIT_WEBHOOK_URL is set, but not SVC_AUDIT_WEBHOOK_HMAC_SECRET, which signs what is posted there; set it to at least 32 bytes"
    ]
    : []

/** Reads the settings: environment, `NAME_FILE` for secrets, tunables file in SVC_HOME, default. */
export const layer = (environment: Environment, overrides: Partial<SettingsShape> = {}) =>
  Layer.effect(Settings, readSettings(environment, overrides))
