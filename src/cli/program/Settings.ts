import { Effect, Layer } from "effect"
import * as SettingsLayer from "../../layers/Settings.ts"
import type { SettingsShape } from "../../services/kernel/Settings.ts"
import { Environment } from "./Environment.ts"
import { handleWith } from "./Group.ts"

/** The settings of this process. Values from the command line take precedence. */
export const settings = (overrides: Partial<SettingsShape> = {}) =>
  Layer.unwrapEffect(Effect.map(Environment, (environment) => SettingsLayer.layer(environment, overrides)))

/** Makes handlers that need the settings. */
export const handleWithSettings = handleWith(settings())
