import { bindCommands, define } from "../program/Group.ts"
import { flag, json, yes } from "../program/Options.ts"

export const definitions = {
  upgrade: define("Say which version the release feed has, and install it.", {
    apply: flag("apply", "Install the newer version with npm, if its package is signed by the release key."),
    json,
    yes
  })
}

export const { upgrade } = bindCommands(definitions, () => import("./handlers/upgrade.ts"))
