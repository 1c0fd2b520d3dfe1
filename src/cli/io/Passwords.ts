import { Effect, Option, Redacted, Stream } from "effect"
import { CliError } from "../program/Explain.ts"
import { standardInput } from "./StandardInput.ts"

/** Far above the length of any secret. More input is a mistake. */
const maxBytes = 4096

const linesOf = (read: Buffer): ReadonlyArray<string> => read.toString("utf8").split(/\r?\n/)

/** The first lines of standard input, one secret each. `what` names them for the error message. */
export const readSecrets = (what: ReadonlyArray<string>) =>
  standardInput.pipe(
    Stream.scan(Buffer.alloc(0), (read, chunk) => Buffer.concat([read, chunk])),
    Stream.takeUntil((read) => read.length > maxBytes || linesOf(read).length > what.length), // a terminal's input does not end
    Stream.runLast,
    Effect.map(Option.getOrElse(() => Buffer.alloc(0))),
    Effect.filterOrFail(
      (read) =>
        read.length <= maxBytes &&
        linesOf(read).slice(0, what.length).filter((line) => line !== "").length === what.length,
      () =>
        new CliError({
          message: `give the ${what.join(", then the ")} as one line${
            what.length > 1 ? " each" : ""
          } of at most ${maxBytes} bytes on standard input`
        })
    ),
    Effect.map((read) => linesOf(read).slice(0, what.length).map((line) => Redacted.make(line)))
  )

/** The first line of standard input. `what` names the secret for the error message. */
export const readSecret = (what: string) => Effect.map(readSecrets([what]), ([secret = Redacted.make("")]) => secret)

/** The password from standard input. Refuses the command line without the flag `--password-stdin`. */
export const readPassword = (fromStdin: boolean) =>
  fromStdin
    ? readSecret("password")
    : Effect.fail(new CliError({ usage: true, message: "give the password on standard input, with --password-stdin" }))
