import { inject } from "vitest"
import { type Engine, engines } from "./databases.ts"
import type { Lane } from "./lanes.ts"

declare module "vitest" {
  export interface ProvidedContext {
    lane: Lane
  }
}

export const isFullLane = inject("lane") === "full"

/** The databases of a suite: in the full lane both. */
export const enginesOr = (inFastLane: Engine): ReadonlyArray<Engine> => (isFullLane ? engines : [inFastLane])

/** For suites whose statements are tested on both databases below them: SQLite in the fast lane, both in the full one. */
export const laneEngines = enginesOr("SQLite")
