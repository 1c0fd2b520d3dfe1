import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, flag, integer, json, optionalText, passwordStdin, yes } from "../program/Options.ts"

const user = argument("user", "E-mail address or id of the user.")

export const definitions = {
  list: define("List all accounts.", { offset: integer("offset", "Accounts to leave out before.", 0), json }),
  create: define("Create an account with a password. svc invitations create lets people choose their own.", {
    email: argument("email", "The user's e-mail address."),
    displayName: optionalText("display-name", "The name that others see."),
    admin: flag("admin", "A global admin."),
    passwordStdin,
    json
  }),
  enable: define("Let an account sign in again.", { user, json }),
  disable: define("End an account's sessions and keys; it cannot sign in.", { user, json }),
  promote: define("Make an account a global admin.", { user, json }),
  demote: define("Make a global admin an ordinary user.", { user, json }),
  "second-factor": define("Show or say whether everyone needs a second factor. Who requires it must have one.", {
    require: flag("require", "Everyone needs one; users without it set it up at their next sign-in."),
    optional: flag("optional", "Only those need one of whom the settings require it."),
    json
  }),
  delete: define("Delete an account with its sessions, keys and memberships.", { user, yes })
}

export const users = makeGroup(
  "users",
  "The accounts of the brain, for global admins.",
  bindCommands(definitions, () => import("./handlers/users.ts"))
)
