import { Console, Effect, Redacted } from "effect"
import { settingDefinitions, Settings } from "../../services/Settings.ts"
import type { Setting } from "../../services/Settings/Kinds.ts"
import { settings } from "../Settings.ts"

export const run = ({ json, reveal }: { readonly json: boolean; readonly reveal: boolean }) =>
  Effect.gen(function*() {
    const effective = yield* Settings
    const shown = Object.entries(settingDefinitions).map(([key, one]) => {
      const setting = one as Setting<unknown> // the record's values differ in A only
      const value: unknown = Reflect.get(effective, key)
      return {
        name: setting.name,
        value: reveal && Redacted.isRedacted(value) ? String(Redacted.value(value)) : setting.print(value),
        source: effective.sources.get(setting.name) ?? "default"
      }
    })
    yield* Console.log(
      json ? JSON.stringify(shown) : shown.map(({ name, source, value }) => `${name}=${value}  # ${source}`).join("\n")
    )
  }).pipe(Effect.provide(settings()))
