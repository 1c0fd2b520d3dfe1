import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/audit.ts"))

const publicKey = Options.text("public-key").pipe(
  Options.withDescription(
    "A public key to trust in addition to this machine's, as svc audit public-key prints it; may be repeated."
  ),
  Options.repeated
)

const verify = Command.make("verify", {
  knownHead: Options.text("known-head").pipe(
    Options.withDescription("A head that was exported earlier: a file, - for standard input, or the text itself."),
    Options.optional
  ),
  checkpoints: Options.text("checkpoints").pipe(
    Options.withDescription("A file of checkpoints (default: this machine's, if it exists); may be repeated."),
    Options.repeated
  ),
  publicKey,
  json
}, handler((module) => module.verify)).pipe(
  Command.withDescription("Verify every row of the audit log. Exit code 0: intact, 1: not, 3 and 4: see docs/audit.md.")
)

const exportHead = Command.make("export-head", {
  verify: Options.boolean("verify").pipe(Options.withDescription("Verify every row first."))
}, handler((module) => module.printHead)).pipe(
  Command.withDescription("Print the newest row's position and hash, signed; keep it on another machine.")
)

const printPublicKey = Command.make("public-key", {}, handler((module) => module.printPublicKey)).pipe(
  Command.withDescription("Print the public keys of checkpoints: id and key, the active one first.")
)

const rotate = Command.make("rotate-chain-key", {
  activate: Options.boolean("activate").pipe(
    Options.withDescription("Activate the key at once; only where no other replica runs.")
  )
}, handler((module) => module.rotateKey)).pipe(
  Command.withDescription("Stage the next chain key. It signs after activate-chain-state.")
)

const activate = Command.make("activate-chain-state", {}, handler((module) => module.activateKey)).pipe(
  Command.withDescription("Sign with the staged key from now on.")
)

const retire = Command.make("retire-chain-key", {
  keyId: Args.text({ name: "key-id" }).pipe(Args.withDescription("Id of a former signing key.")),
  lost: Options.boolean("lost").pipe(
    Options.withDescription("The key is lost: its rows cannot be verified with it again.")
  )
}, handler((module) => module.retireKey)).pipe(
  Command.withDescription("Retire a former key: later rows prove the rows that it signed.")
)

const reseal = Command.make("reseal-watermark", { publicKey }, handler((module) => module.reseal)).pipe(
  Command.withDescription("Sign the watermark of pruned rows with the active signing key.")
)

const exportAndDeleteFrozen = Command.make("export-and-delete-frozen", {
  output: Options.text("output").pipe(Options.withAlias("o"), Options.withDescription("Path of a new file."))
}, handler((module) => module.moveFrozenRows)).pipe(
  Command.withDescription("Move the rows of retired keys into a file.")
)

const forkCleanup = Command.make("fork-cleanup", {}, handler((module) => module.cleanUp)).pipe(
  Command.withDescription("After a backup was restored: start new checkpoints, and record it in the log.")
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("Verify the audit log, and manage its keys."),
  Command.withSubcommands([
    verify,
    exportHead,
    printPublicKey,
    rotate,
    activate,
    retire,
    reseal,
    exportAndDeleteFrozen,
    forkCleanup
  ])
)
