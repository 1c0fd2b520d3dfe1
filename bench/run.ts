import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, type Scope } from "effect"

/** How every bench is called and ends: the words after its name, one line of JSON, exit code 2 for wrong words. */

const databases = ["sqlite", "postgresql"] as const
export type Database = (typeof databases)[number]

type Numbers<Name extends string> = Readonly<Record<Name, number>>

/** The numbers that follow the bench's name, in the order of `defaults`; others end the program with its usage. */
export const numbersOf = <Name extends string>(bench: string, defaults: Numbers<Name>): Numbers<Name> =>
  read(process.argv.slice(2), defaults) ?? refuse(bench, "", defaults)

/** As `numbersOf`, after the word that says which database. */
export const databaseAndNumbersOf = <Name extends string>(
  bench: string,
  defaults: Numbers<Name>
): { readonly database: Database } & Numbers<Name> => {
  const [first, ...words] = process.argv.slice(2)
  const database = databases.find((database) => database === first)
  const numbers = read(words, defaults)
  return database === undefined || numbers === null
    ? refuse(bench, ` ${databases.join("|")}`, defaults)
    : { database, ...numbers }
}

const read = <Name extends string>(words: ReadonlyArray<string>, defaults: Numbers<Name>): Numbers<Name> | null => {
  const names = Object.keys(defaults)
  if (words.length > names.length || !words.every((word) => /^\d+(\.\d+)?$/.test(word))) return null
  return { ...defaults, ...Object.fromEntries(words.map((word, index) => [names[index], Number(word)])) }
}

const refuse = (bench: string, database: string, defaults: Numbers<string>): never => {
  const numbers = Object.entries(defaults).map(([name, value]) => ` [${name}=${value}]`)
  console.error(`usage: npm run bench bench/${bench}.ts${database}${numbers.join("")}`)
  process.exit(2)
}

/**
 * Measures and prints the result. Ends the program even if something of the bench still runs; an interrupted bench
 * cleans up as well.
 */
export const report = <E>(measure: Effect.Effect<object, E, Scope.Scope | NodeContext.NodeContext>): void =>
  NodeRuntime.runMain(
    measure.pipe(
      Effect.flatMap((result) => Console.log(JSON.stringify(result))),
      Effect.tapErrorCause((cause) => Console.error(Cause.pretty(cause, { renderErrorCause: true }))),
      Effect.scoped,
      Effect.provide(NodeContext.layer)
    ),
    { disableErrorReporting: true, teardown: (exit) => process.exit(Exit.isSuccess(exit) ? 0 : 1) }
  )
