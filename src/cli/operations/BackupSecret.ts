import { Prompt } from "@effect/cli"
import { FileSystem } from "@effect/platform"
import { Effect, Option, Redacted } from "effect"
import { type Encryption, parseKeyFile } from "../../services/operations/Backup/Encryption.ts"
import { isInteractive } from "../io/Confirm.ts"
import { CliError } from "../program/Explain.ts"
import type { OptionsOf } from "../program/Group.ts"
import type { secrets } from "./backup.ts"

type SecretOptions = OptionsOf<typeof secrets>

const askHidden = (message: string) =>
  Effect.mapError(Prompt.run(Prompt.hidden({ message })), () => new CliError({ message: "nothing was done" }))

/** `isNew`: a backup with a typing error in its passphrase is unreadable, so the passphrase is asked for twice. */
const askPassphrase = (isNew: boolean) =>
  Effect.gen(function*() {
    if (!(yield* isInteractive)) {
      return yield* new CliError({ usage: true, message: "--passphrase asks at a terminal; use --passphrase-file" })
    }
    const passphrase = yield* askHidden("Passphrase of the backup")
    if (isNew && Redacted.value(passphrase) !== Redacted.value(yield* askHidden("The same again"))) {
      return yield* new CliError({ message: "the two passphrases differ; nothing was done" })
    }
    return passphrase
  })

/** What a backup is encrypted to; null: it is not. */
export const readEncryption = ({ keyFile, passphrase, passphraseFile }: SecretOptions, isNew: boolean) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const givenCount = [passphrase, Option.isSome(passphraseFile), Option.isSome(keyFile)].filter((one) => one).length
    if (givenCount > 1) {
      return yield* new CliError({ usage: true, message: "give one of --passphrase, --passphrase-file and --key-file" })
    }
    if (Option.isSome(keyFile)) {
      const keys = parseKeyFile(yield* fs.readFileString(keyFile.value))
      if (keys.length === 0) return yield* new CliError({ message: `${keyFile.value} has no key` })
      return { _tag: "keys", keys } satisfies Encryption
    }
    if (!passphrase && Option.isNone(passphraseFile)) return null
    const text = Option.isSome(passphraseFile)
      ? Redacted.make((yield* fs.readFileString(passphraseFile.value)).split(/\r?\n/)[0] ?? "")
      : yield* askPassphrase(isNew)
    if (Redacted.value(text) === "") return yield* new CliError({ message: "the passphrase is empty" })
    return { _tag: "passphrase", passphrase: text } satisfies Encryption
  })
