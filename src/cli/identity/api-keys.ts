import { Options } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import {
  argument,
  codeStdin,
  expiresInDays,
  json,
  optionalChoice,
  optionalText,
  passwordStdin,
  text,
  yes
} from "../program/Options.ts"

/** As people type them; the API writes them with an underscore. */
export const presetNames = ["ci-deploys", "read-only", "operator", "agent-provisioning", "metrics"] as const

export const definitions = {
  list: define("List your API keys, revoked and expired ones too.", { json }),
  create: define("Sign in and create an API key, which is printed only once.", {
    name: argument("name", "What the key is for."),
    scopes: Options.repeated(
      text("scope", "What the key may do, such as tasks:read; give it once for each scope.")
    ),
    preset: optionalChoice("preset", presetNames, "Scopes for a purpose, beside those of --scope."),
    project: optionalText("project", "Slug of the only project that the key may access."),
    expiresInDays,
    email: optionalText("email", "Sign in as this user; default: the owner of the key of svc login."),
    passwordStdin,
    codeStdin,
    json
  }),
  revoke: define("Revoke one of your API keys, at once and for good.", {
    key: argument("key", "Name or id of the key."),
    yes
  })
}

export const apiKeys = makeGroup(
  "api-keys",
  "Your API keys, for scripts.",
  bindCommands(definitions, () => import("./handlers/api-keys.ts"))
)
