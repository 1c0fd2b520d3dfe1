import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { flag, json } from "../program/Options.ts"

export const definitions = {
  show: define("Print the ids of the keys, and how many stored secrets need each.", { json }),
  rotate: define("Stage the next key: a new one, or the one in SVC_SECRET_KEY. It encrypts after activate.", {
    activate: flag(
      "activate",
      "Activate the key at once and re-encrypt all secrets; only where no other replica runs."
    )
  }),
  activate: define("Encrypt with the staged key from now on. Every replica must have it first.", {}),
  reseal: define("Re-encrypt all secrets with the active key, and print which keys are no longer needed.", {})
}

export const secretKey = makeGroup(
  "secret-key",
  "Rotate the key of stored secrets, SVC_SECRET_KEY, while replicas run.",
  bindCommands(definitions, () => import("./handlers/secret-key.ts"))
)
