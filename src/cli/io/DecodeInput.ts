import { Effect, Option, ParseResult, Schema } from "effect"
import { CliError } from "../program/Explain.ts"
import { escapeText } from "./TerminalText.ts"

type GivenOf<Options> = {
  readonly [Name in keyof Options]?: Options[Name] extends Option.Option<infer Value> ? Value : never
}

/** The values of the options that were given, by name. */
export const givenOf = <Options extends Readonly<Record<string, Option.Option<unknown>>>>(options: Options) =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, option]) => Option.isSome(option) ? [[name, option.value]] : [])
  ) as GivenOf<Options> // the names and values of the options, some left out

/** An optional field also fails with "Expected undefined", which does not help. */
const isHelpful = ({ message }: { readonly message: string }): boolean =>
  !/^Expected (undefined|null), actual/.test(message)

const valueOf = (input: unknown, name: string): string => {
  const value: unknown = typeof input === "object" && input !== null ? Reflect.get(input, name) : undefined
  return typeof value === "string" && value !== "" ? `, not '${value}'` : ""
}

/**
 * Decodes command-line input by the same rules as over HTTP. `options`: every field is an option of the same name, and the
 * message quotes its wrong value, so it must not be a secret.
 */
export const decodeInput = <A, I>(
  schema: Schema.Schema<A, I>,
  input: I,
  fields?: "options"
): Effect.Effect<A, CliError> =>
  Schema.decode(schema)(input).pipe(Effect.mapError((error) =>
    new CliError({
      usage: true,
      message: escapeText(
        ParseResult.ArrayFormatter.formatErrorSync(error).filter(isHelpful).map(({ message, path }) => {
          const name = path.join(".").replaceAll("_", "-")
          return fields === undefined ? `${name} ${message}` : `--${name} ${message}${valueOf(input, String(path[0]))}`
        }).join("; ")
      )
    })
  ))
