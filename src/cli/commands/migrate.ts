import { Args, Command, Options } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { json } from "../Options.ts"

const target = Args.text({ name: "revision" }).pipe(
  Args.withDescription("A revision's number, or head."),
  Args.withDefault("head")
)

const upgrade = Command.make("upgrade", { target }, lazyHandler(() => import("../programs/migrate-upgrade.ts"))).pipe(
  Command.withDescription("Apply every missing step up to a revision.")
)

const checkHeads = Options.boolean("check-heads").pipe(
  Options.withDescription("Fail unless the database is at this program's revision.")
)

const current = Command.make("current", { checkHeads, json }, lazyHandler(() => import("../programs/migrate-current.ts"))).pipe(
  Command.withDescription("Print the database's revision.")
)

const history = Command.make("history", { json }, lazyHandler(() => import("../programs/migrate-history.ts"))).pipe(
  Command.withDescription("List the steps, and when each was applied.")
)

const revision = Args.text({ name: "revision" }).pipe(Args.withDescription("The revision before the database's."))

const downgrade = Command.make("downgrade", { revision }, lazyHandler(() => import("../programs/migrate-downgrade.ts"))).pipe(
  Command.withDescription("Undo the newest step.")
)

export const migrate = Command.make("migrate").pipe(
  Command.withDescription("Look at and move the database's schema."),
  Command.withSubcommands([upgrade, current, history, downgrade])
)
