import { Effect, Option } from "effect"
import { type Column, formatList, type Rows, type View } from "../io/Table.ts"
import type { CliError, OutcomeUnknown } from "../program/Explain.ts"
import type { CliServices, Steps } from "../program/Group.ts"
import { type ApiError, type DecodedResponse, printResponse, type Remote, withRemote } from "./Remote.ts"

type Failure = ApiError | CliError | OutcomeUnknown

type RemoteSteps<A> = Effect.Effect<A, Failure, CliServices> | Steps<A, Failure, CliServices>

/** Runs once: steps that have begun cannot be repeated. */
const run = <A>(steps: RemoteSteps<A>): Effect.Effect<A, Failure, CliServices> =>
  Effect.isEffect(steps) ? steps : Effect.gen(() => steps)

/** The options of a handler; a few have no project. */
interface RemoteOptions {
  readonly [name: string]: unknown
  readonly project?: Option.Option<string>
}

interface PrintOptions extends RemoteOptions {
  readonly json: boolean
}

/** A handler with the brain, and the project of its options. */
export const call =
  <Options extends RemoteOptions>(steps: (remote: Remote, options: Options) => RemoteSteps<void>) =>
  (options: Options) => withRemote(options.project ?? Option.none(), (remote) => run(steps(remote, options)))

/** A handler that prints a response of the brain. */
export const show = <Options extends PrintOptions, A>(
  ask: (remote: Remote, options: Options) => RemoteSteps<DecodedResponse<A>>,
  format: (value: A, text: string, view: View) => string
) =>
  call<Options>((remote, options) =>
    Effect.flatMap(run(ask(remote, options)), (response) => printResponse(response, options.json, format))
  )

/** A handler that prints a list: all its rows, or a page of them. */
export const list = <Options extends PrintOptions, A>(
  columns: ReadonlyArray<Column<A>>,
  ask: (remote: Remote, options: Options) => RemoteSteps<DecodedResponse<Rows<A>>>
) => show(ask, formatList(columns))
