import { Options } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, flag, json, optionalText, text } from "../program/Options.ts"

const publicKey = Options.repeated(
  text(
    "public-key",
    "A public key to trust in addition to this machine's, as svc audit public-key prints it; may be repeated."
  )
)

export const definitions = {
  verify: define("Verify every row of the audit log. Exit code 0: intact, 1: not, 3 and 4: see docs/audit.md.", {
    knownHead: optionalText(
      "known-head",
      "A head that was exported earlier: a file, - for standard input, or the text itself."
    ),
    checkpoints: Options.repeated(
      text("checkpoints", "A file of checkpoints (default: this machine's, if it exists); may be repeated.")
    ),
    publicKey,
    json
  }),
  "export-head": define("Print the newest row's position and hash, signed; keep it on another machine.", {
    verify: flag("verify", "Verify every row first.")
  }),
  "public-key": define("Print the public keys of checkpoints: id and key, the active one first.", {}),
  "rotate-chain-key": define("Stage the next chain key. It signs after activate-chain-state.", {
    activate: flag("activate", "Activate the key at once; only where no other replica runs.")
  }),
  "activate-chain-state": define("Sign with the staged key from now on.", {}),
  "retire-chain-key": define("Retire a former key: later rows prove the rows that it signed.", {
    keyId: argument("key-id", "Id of a former signing key."),
    lost: flag("lost", "The key is lost: its rows cannot be verified with it again.")
  }),
  "reseal-watermark": define("Sign the watermark of pruned rows with the active signing key.", { publicKey }),
  "export-and-delete-frozen": define("Move the rows of retired keys into a file.", {
    output: text("output", "Path of a new file.").pipe(Options.withAlias("o"))
  }),
  "fork-cleanup": define("After a backup was restored: start new checkpoints, and record it in the log.", {})
}

export const audit = makeGroup(
  "audit",
  "Verify the audit log, and manage its keys.",
  bindCommands(definitions, () => import("./handlers/audit.ts"))
)
