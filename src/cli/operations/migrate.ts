import { Args } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, flag, json } from "../program/Options.ts"

export const definitions = {
  upgrade: define("Apply every missing step up to a revision.", {
    target: argument("revision", "A revision's number, or head.").pipe(Args.withDefault("head"))
  }),
  current: define("Print the database's revision.", {
    checkHeads: flag("check-heads", "Fail unless the database is at this program's revision."),
    json
  }),
  history: define("List the steps, and when each was applied.", { json }),
  downgrade: define("Undo every step after a revision, newest first, while no brain runs.", {
    revision: argument("revision", "An earlier revision's number."),
    force: flag("force", "Delete what the earlier revision has no place for."),
    json
  }),
  "search-indexes": define("Create PostgreSQL's trigram indexes for searches, while brains run; needs pg_trgm.", {
    drop: flag("drop", "Remove the indexes instead.")
  })
}

export const migrate = makeGroup(
  "migrate",
  "Show and change the database's schema revision.",
  bindCommands(definitions, () => import("./handlers/migrate.ts"))
)
