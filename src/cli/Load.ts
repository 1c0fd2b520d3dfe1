import { Data, Effect } from "effect"

/** A part of the program, or a package it needs, cannot be loaded. */
export class LoadFailed extends Data.TaggedError("LoadFailed")<{ readonly cause: unknown }> {
  override get message() {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

/**
 * The handler of a command whose work is in a module of its own, `programs/<name>.ts`, which is loaded when the
 * command runs. So `svc version` and `svc --help` load neither server nor database and answer at once.
 */
export const lazyHandler = <Options, E, R>(
  load: () => Promise<{ readonly run: (options: Options) => Effect.Effect<void, E, R> }>
) =>
(options: Options): Effect.Effect<void, E | LoadFailed, R> =>
  Effect.flatMap(
    Effect.tryPromise({ try: load, catch: (cause) => new LoadFailed({ cause }) }),
    (program) => program.run(options)
  )
