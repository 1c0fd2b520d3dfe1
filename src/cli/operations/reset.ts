import { bindCommands, define } from "../program/Group.ts"
import { flag, json } from "../program/Options.ts"

export const definitions = {
  reset: define("Wipe every table of the database, users and audit log included; the next start is a first boot.", {
    force: flag("force", "Wipe. Without it the command only prints the rows."),
    json
  })
}

export const { reset } = bindCommands(definitions, () => import("./handlers/reset.ts"))
