import { Data, Effect } from "effect"

/** A part of the program, or a package it needs, cannot be loaded. */
export class LoadFailed extends Data.TaggedError("LoadFailed")<{ readonly cause: unknown }> {
  override get message() {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

/**
 * The handlers of a group of commands, which are loaded when one of them runs. So `svc version` and `svc --help` load
 * neither server nor database: 0.2 s instead of more than one second.
 */
export const lazyHandlers =
  <Module>(load: () => Promise<Module>) =>
  <Options, E, R>(select: (handlers: Module) => (options: Options) => Effect.Effect<void, E, R>) =>
  (options: Options): Effect.Effect<void, E | LoadFailed, R> =>
    Effect.flatMap(
      Effect.tryPromise({ try: load, catch: (cause) => new LoadFailed({ cause }) }),
      (handlers) => select(handlers)(options)
    )
