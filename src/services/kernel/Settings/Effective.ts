import type { Context } from "effect"
import type { SettingItem } from "../../../domain/kernel/SettingItem.ts"
import { settingDefinitions, type Settings } from "../Settings.ts"
import type { Setting } from "./Kinds.ts"

/** Every setting with its value as text; secrets are masked, always. */
export const listEffective = (settings: Context.Tag.Service<typeof Settings>): ReadonlyArray<SettingItem> =>
  Object.entries(settingDefinitions).map(([key, one]) => {
    const setting = one as Setting<unknown> // the record's values differ in A only
    return {
      name: setting.name,
      value: setting.print(Reflect.get(settings, key)),
      source: settings.sources.get(setting.name) ?? "default",
      is_secret: setting.secret,
      description: setting.line
    }
  })
