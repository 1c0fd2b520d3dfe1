import type * as Runtime from "../runtime/Engine.ts"
import type { Engine } from "./Engine.ts"

/** Hides the type of the runtime, which is Effect's. The value stays the same, so both assertions hold. */
export const hideEngine = (engine: Runtime.Engine): Engine => engine as unknown as Engine

/** The reverse. Only `hideEngine` creates an `Engine`. */
export const revealEngines = (engines: ReadonlyArray<Engine>): ReadonlyArray<Runtime.Engine> =>
  engines as unknown as ReadonlyArray<Runtime.Engine>
