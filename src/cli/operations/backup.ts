import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/backup.ts"))

const archive = Args.text({ name: "path" }).pipe(Args.withDescription("A file that svc backup wrote."))

const secrets = {
  passphrase: Options.boolean("passphrase").pipe(
    Options.withDescription("Encrypted to a passphrase, which is asked for at the terminal.")
  ),
  passphraseFile: Options.text("passphrase-file").pipe(
    Options.withDescription("Encrypted to the passphrase in the first line of this file."),
    Options.optional
  ),
  keyFile: Options.text("key-file").pipe(
    Options.withDescription("Encrypted to the keys in this file, as age-keygen writes them."),
    Options.optional
  )
}

const verify = Command.make("verify", { archive, ...secrets, json }, handler((module) => module.verify)).pipe(
  Command.withDescription("Read a backup, verify every byte, and print what it has.")
)

export const backup = Command.make("backup", {
  output: Options.text("output").pipe(
    Options.withAlias("o"),
    Options.withDescription("Path of the new file. An existing one is never replaced."),
    Options.optional // the library requires it also of the subcommands
  ),
  ...secrets,
  json
}, handler((module) => module.backup)).pipe(
  Command.withDescription("Write the database into one file, while brains run."),
  Command.withSubcommands([verify])
)

export const restore = Command.make("restore", {
  archive,
  force: Options.boolean("force").pipe(
    Options.withDescription(
      "Replace the content of the database. Without it, only check, and print what would be lost."
    )
  ),
  acceptForeign: Options.boolean("accept-foreign").pipe(
    Options.withDescription("Also restore a backup that none of this machine's keys has signed.")
  ),
  ...secrets,
  json
}, handler((module) => module.restore)).pipe(
  Command.withDescription("Replace the content of the database by that of a backup, while no brain runs.")
)
