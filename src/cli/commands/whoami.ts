import { Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { json } from "../Options.ts"

export const whoami = Command.make("whoami", { json }, lazyHandler(() => import("../programs/whoami.ts"))).pipe(
  Command.withDescription("Show whose API key is used, at which brain, and with which roles.")
)
