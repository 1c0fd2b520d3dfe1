import { Effect, Either, Layer } from "effect"
import { hostname } from "node:os"
import { join, resolve } from "node:path"
import { readEnvironment, resolveHome, SettingsInvalid } from "../../layers/Settings.ts"
import { schedulerProgramDeclared, SchedulerSettings, type SchedulerSettingsShape } from "../../scheduler/Settings.ts"
import type { Setting } from "../../services/kernel/Settings/Kinds.ts"
import { Environment } from "../program/Environment.ts"
import { handleWith } from "../program/Group.ts"

const readSettings = Effect.gen(function*() {
  const environment = yield* Environment
  const values: Record<string, unknown> = {}
  const problems: Array<string> = []
  for (const [key, declaration] of Object.entries(schedulerProgramDeclared)) {
    const setting = declaration as Setting<unknown> // the record's values differ in A only
    const source = yield* Effect.either(readEnvironment(environment, setting))
    if (Either.isLeft(source)) {
      problems.push(source.left)
      continue
    }
    const parsed = source.right === null ? Either.right(setting.default) : setting.parse(source.right.text)
    if (Either.isLeft(parsed)) problems.push(`${setting.name} ${parsed.left}`)
    else values[key] = parsed.right
  }
  if (problems.length > 0) return yield* new SettingsInvalid({ problems })
  // each key of the declaration was filled above, with its own parse or default
  const settings = values as unknown as SchedulerSettingsShape
  return {
    ...settings,
    home: settings.home === "" ? join(resolveHome(environment), "scheduler") : resolve(settings.home),
    name: settings.name === "" ? hostname() : settings.name
  }
})

/** The settings of svc-scheduler, from the environment of the process. */
export const layerSchedulerSettings = Layer.effect(SchedulerSettings, readSettings)

/** Makes handlers that need the settings of svc-scheduler. */
export const handleWithSettings = handleWith(layerSchedulerSettings)
