import { Context, Stream } from "effect"
import { CliError } from "../program/Explain.ts"

/** The standard input of the process. `RunMain.ts` provides it. */
export class StandardInput
  extends Context.Tag("svc/cli/StandardInput")<StandardInput, Stream.Stream<Uint8Array, unknown>>()
{}

/** The bytes of standard input. */
export const standardInput = Stream.unwrap(StandardInput).pipe(
  Stream.mapError(() => new CliError({ message: "standard input cannot be read" }))
)

/** The text of standard input. */
export const standardText = standardInput.pipe(Stream.decodeText(), Stream.mkString)
