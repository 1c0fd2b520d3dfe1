import { Command, Options } from "@effect/cli"
import { bindCommands, define } from "../program/Group.ts"
import { argument, flag, json, optionalText } from "../program/Options.ts"

const archive = argument("path", "A file that svc backup wrote.")

export const secrets = {
  passphrase: flag("passphrase", "Encrypted to a passphrase, which is asked for at the terminal."),
  passphraseFile: optionalText("passphrase-file", "Encrypted to the passphrase in the first line of this file."),
  keyFile: optionalText("key-file", "Encrypted to the keys in this file, as age-keygen writes them.")
}

export const definitions = {
  backup: define("Write the database into one file, while brains run.", {
    // optional, because the library requires it also of the subcommands
    output: optionalText("output", "Path of the new file. An existing one is never replaced.").pipe(
      Options.withAlias("o")
    ),
    ...secrets,
    json
  }),
  verify: define("Read a backup, verify every byte, and print what it has.", { archive, ...secrets, json }),
  restore: define("Replace the content of the database by that of a backup, while no brain runs.", {
    archive,
    force: flag(
      "force",
      "Replace the content of the database. Without it, only check, and print what would be lost."
    ),
    acceptForeign: flag("accept-foreign", "Also restore a backup that none of this machine's keys has signed."),
    ...secrets,
    json
  })
}

const commands = bindCommands(definitions, () => import("./handlers/backup.ts"))

export const { restore } = commands

export const backup = commands.backup.pipe(Command.withSubcommands([commands.verify]))
