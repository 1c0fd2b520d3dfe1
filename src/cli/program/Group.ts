import { type CliApp, Command } from "@effect/cli"
import { Effect, type Layer } from "effect"
import type { YieldWrap } from "effect/Utils"
import type { StandardInput } from "../io/StandardInput.ts"
import type { Environment } from "./Environment.ts"
import { lazyHandlers } from "./Load.ts"

/** What every handler may use. */
export type CliServices = CliApp.CliApp.Environment | Environment | StandardInput

type Config = Command.Command.Config

/** A command as people type it: a sentence about it, its arguments and options. */
export interface Definition<Options extends Config> {
  readonly description: string
  readonly options: Options
}

export const define = <Options extends Config>(description: string, options: Options): Definition<Options> => ({
  description,
  options
})

/** What a handler gets of the command line for these arguments and options, or for those of a definition. */
export type OptionsOf<Defined> = Defined extends Definition<infer Options> ? Command.Command.ParseConfig<Options>
  : Defined extends Config ? Command.Command.ParseConfig<Defined>
  : never

/** A handler for each definition. */
export type HandlersOf<Definitions> = {
  readonly [Name in keyof Definitions]: (
    options: OptionsOf<Definitions[Name]>
  ) => Effect.Effect<void, unknown, CliServices>
}

/** The steps of a handler, as in `Effect.gen`. */
export type Steps<A, E, R> = Generator<YieldWrap<Effect.Effect<unknown, E, R>>, A, never>

/** Makes handlers of steps that need the services of this layer. */
export const handleWith =
  <Services, E>(layer: Layer.Layer<Services, E, CliServices>) =>
  <Options>(steps: (options: Options) => Steps<void, unknown, Services | CliServices>) =>
  (options: Options): Effect.Effect<void, unknown, CliServices> =>
    Effect.provide(Effect.gen(() => steps(options)), layer)

type AnyDefinitions = Readonly<Record<string, Definition<Config>>>

/** The commands of these definitions, by name. Their handlers are loaded when one of the commands runs. */
export const bindCommands = <Definitions extends AnyDefinitions>(
  definitions: Definitions,
  load: () => Promise<{ readonly handlers: HandlersOf<Definitions> }>
) => {
  // the command of a definition parses the options that the handler of the same name takes
  const handler = lazyHandlers(load as () => Promise<{ readonly handlers: HandlersOf<AnyDefinitions> }>)
  const bind = (name: string, { description, options }: Definition<Config>) =>
    Command.make(name, options, handler(({ handlers }) => handlers[name]!)).pipe(Command.withDescription(description))
  const commands = Object.entries(definitions).map(([name, definition]) => [name, bind(name, definition)] as const)
  // a command for each name
  return Object.fromEntries(commands) as { readonly [Name in keyof Definitions]: ReturnType<typeof bind> }
}

/** A command whose only work is to name the ones below it. */
export const makeGroup = (
  name: string,
  description: string,
  commands: Readonly<Record<string, ReturnType<typeof bindCommands>[string]>>
) => {
  const [first, ...others] = Object.values(commands)
  return Command.make(name).pipe(Command.withDescription(description), Command.withSubcommands([first!, ...others]))
}
