import { Effect, ParseResult, Schema } from "effect"
import { Refused } from "./Explain.ts"
import { visible } from "./Visible.ts"

/** A field that may be left out has a message for that too, which helps nobody. */
const isTelling = ({ message }: { readonly message: string }): boolean => !/^Expected (undefined|null), actual/.test(message)

/** What was given on the command line, by the same rules as over HTTP. */
export const accepted = <A, I>(schema: Schema.Schema<A, I>, input: I): Effect.Effect<A, Refused> =>
  Schema.decode(schema)(input).pipe(Effect.mapError((error) =>
    new Refused({
      usage: true,
      message: visible(ParseResult.ArrayFormatter.formatErrorSync(error).filter(isTelling)
        .map(({ message, path }) => `${path.join(".").replaceAll("_", "-")} ${message}`).join("; "))
    })
  ))
