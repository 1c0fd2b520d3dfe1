import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/migrate.ts"))

const target = Args.text({ name: "revision" }).pipe(
  Args.withDescription("A revision's number, or head."),
  Args.withDefault("head")
)

const upgrade = Command.make("upgrade", { target }, handler((module) => module.upgrade)).pipe(
  Command.withDescription("Apply every missing step up to a revision.")
)

const checkHeads = Options.boolean("check-heads").pipe(
  Options.withDescription("Fail unless the database is at this program's revision.")
)

const current = Command.make("current", { checkHeads, json }, handler((module) => module.current)).pipe(
  Command.withDescription("Print the database's revision.")
)

const history = Command.make("history", { json }, handler((module) => module.history)).pipe(
  Command.withDescription("List the steps, and when each was applied.")
)

const revision = Args.text({ name: "revision" }).pipe(Args.withDescription("An earlier revision's number."))

const force = Options.boolean("force").pipe(
  Options.withDescription("Delete what the earlier revision has no place for.")
)

const downgrade = Command.make("downgrade", { revision, force, json }, handler((module) => module.downgrade)).pipe(
  Command.withDescription("Undo every step after a revision, newest first, while no brain runs.")
)

const drop = Options.boolean("drop").pipe(Options.withDescription("Remove the indexes instead."))

const searchIndexes = Command.make("search-indexes", { drop }, handler((module) => module.searchIndexes)).pipe(
  Command.withDescription("Create PostgreSQL's trigram indexes for searches, while brains run; needs pg_trgm.")
)

export const migrate = Command.make("migrate").pipe(
  Command.withDescription("Show and change the database's schema revision."),
  Command.withSubcommands([upgrade, current, history, downgrade, searchIndexes])
)
