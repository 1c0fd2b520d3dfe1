import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Redacted, Stream } from "effect"
import { Refused } from "./Explain.ts"

/** Far above any secret; whoever pipes more has piped the wrong thing. */
const mostBytes = 4096

/** The first line of standard input: `what` is the secret that it is. */
export const readSecret = (what: string) =>
  NodeStream.stdin.pipe(
    Stream.takeUntil((chunk) => chunk.includes(10)), // a line feed: do not wait for the end of a terminal's input
    Stream.runFoldWhile(Buffer.alloc(0), (read) => read.length <= mostBytes, (read, chunk) => Buffer.concat([read, chunk])),
    Effect.mapError(() => new Refused({ message: "standard input cannot be read" })),
    Effect.filterOrFail(
      (read) => read.length > 0 && read.length <= mostBytes,
      () => new Refused({ message: `give the ${what} as one line of at most ${mostBytes} bytes on standard input` })
    ),
    Effect.map((read) => Redacted.make(read.toString("utf8").split(/\r?\n/, 1)[0] ?? ""))
  )

/** The password. `given` is the flag: without it the command line is refused, and says how to do it. */
export const readPassword = (given: boolean) =>
  given
    ? readSecret("password")
    : Effect.fail(new Refused({ usage: true, message: "give the password on standard input, with --password-stdin" }))
