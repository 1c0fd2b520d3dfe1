import { Context, Data, type Duration, type Effect } from "effect"

export type NpmFailure =
  /** There is no program `npm` on this machine. */
  | "npm_missing"
  | "timeout"
  /** The registry cannot be reached. */
  | "offline"
  /** The registry does not have a package that svc depends on. */
  | "unknown_package"
  /** The output is not what npm prints. */
  | "invalid_answer"
  /** npm failed otherwise. */
  | "npm_failed"

/** npm could not do what it was asked. `message` is one sentence. */
export class NpmFailed extends Data.TaggedError("NpmFailed")<{
  readonly reason: NpmFailure
  readonly message: string
}> {}

export interface NpmOptions {
  readonly timeout: Duration.DurationInput
  /** The folder whose `.npmrc` and `package.json` apply. */
  readonly cwd?: string
}

/**
 * The npm client of this machine, with the registry, proxy and credentials that it is configured with. `run` returns its
 * standard output, at most 4 MiB.
 */
export class NpmClient extends Context.Tag("svc/NpmClient")<NpmClient, {
  readonly run: (args: ReadonlyArray<string>, options: NpmOptions) => Effect.Effect<string, NpmFailed>
}>() {}
