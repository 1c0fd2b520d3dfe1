import { Args, Command } from "@effect/cli"
import { lazyHandlers } from "../Load.ts"
import { yes } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/projects.ts"))

const slug = Args.text({ name: "slug" }).pipe(Args.withDescription("The project's slug."))

export const resetProjectPolicies = Command.make(
  "reset-project-policies",
  { slug, yes },
  handler((module) => module.resetProjectPolicies)
).pipe(
  Command.withDescription("Remove a project's list of addresses and its approvals, after they locked its admins out.")
)
