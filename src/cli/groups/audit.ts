import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../Load.ts"
import { json } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/audit.ts"))

const publicKey = Options.text("public-key").pipe(
  Options.withDescription("A public key that is trusted besides those of this machine, as svc audit public-key prints it; may be given again."),
  Options.repeated
)

const verify = Command.make("verify", {
  knownHead: Options.text("known-head").pipe(
    Options.withDescription("A head that was exported earlier: a file, - for standard input, or the text itself."),
    Options.optional
  ),
  checkpoints: Options.text("checkpoints").pipe(
    Options.withDescription("A file of checkpoints (default: that of this machine, if it is there); may be given again."),
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
  Command.withDescription("Print the newest row's place in the chain, signed, to be kept elsewhere.")
)

const printPublicKey = Command.make("public-key", {}, handler((module) => module.printPublicKey)).pipe(
  Command.withDescription("Print the public keys of checkpoints: id and key, the one that signs first.")
)

const rotate = Command.make("rotate-chain-key", {
  activate: Options.boolean("activate").pipe(Options.withDescription("Let it sign at once: there is no other replica."))
}, handler((module) => module.rotateKey)).pipe(
  Command.withDescription("Make the next key of the chain known; it signs after activate-chain-state.")
)

const activate = Command.make("activate-chain-state", {}, handler((module) => module.activateKey)).pipe(
  Command.withDescription("Let the next key sign from now on.")
)

const retire = Command.make("retire-chain-key", {
  keyId: Args.text({ name: "key-id" }).pipe(Args.withDescription("A key that signed before.")),
  lost: Options.boolean("lost").pipe(Options.withDescription("The key is gone, and its rows cannot be verified with it once more."))
}, handler((module) => module.retireKey)).pipe(
  Command.withDescription("Say that a former key is not needed any more: its rows are proven by later ones.")
)

const reseal = Command.make("reseal-watermark", { publicKey }, handler((module) => module.reseal)).pipe(
  Command.withDescription("Sign anew what the retention pruned, with the present signing key.")
)

const exportAndDeleteFrozen = Command.make("export-and-delete-frozen", {
  output: Options.text("output").pipe(Options.withAlias("o"), Options.withDescription("A new file."))
}, handler((module) => module.moveFrozenRows)).pipe(
  Command.withDescription("Move the rows of retired keys into a file.")
)

const forkCleanup = Command.make("fork-cleanup", {}, handler((module) => module.cleanUp)).pipe(
  Command.withDescription("After a copy was restored: begin new checkpoints, and say so in the log.")
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("Verify the audit log, and look after its keys."),
  Command.withSubcommands([verify, exportHead, printPublicKey, rotate, activate, retire, reseal, exportAndDeleteFrozen, forkCleanup])
)
