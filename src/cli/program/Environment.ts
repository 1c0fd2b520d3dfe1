import { Context } from "effect"

/** The environment variables of the process. `RunMain.ts` provides them; the settings are read from them. */
export class Environment extends Context.Tag("svc/cli/Environment")<
  Environment,
  Readonly<Record<string, string | undefined>>
>() {}
