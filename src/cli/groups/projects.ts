import { Args, Command } from "@effect/cli"
import { lazyHandlers } from "../Load.ts"
import { yes } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/projects.ts"))

const slug = Args.text({ name: "slug" }).pipe(Args.withDescription("The project's slug."))

export const resetAllowedCidrs = Command.make(
  "reset-allowed-cidrs",
  { slug, yes },
  handler((module) => module.resetAllowedCidrs)
).pipe(
  Command.withDescription("Let a project be used from every address again, after its list locked its admins out.")
)
