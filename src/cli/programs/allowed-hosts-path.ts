import { Console, Effect } from "effect"
import { allowedHostsFile } from "../../services/AllowedHosts.ts"
import { Settings } from "../../services/Settings.ts"
import { settings } from "../Settings.ts"

export const run = () =>
  Effect.flatMap(Settings, ({ home }) => Console.log(allowedHostsFile(home))).pipe(Effect.provide(settings()))
