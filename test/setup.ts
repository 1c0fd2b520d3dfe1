import { makeMethods } from "@effect/vitest"
import { it } from "vitest"
import "./endWithParent.ts"

/**
 * Runs before each file, because the files of a run share their processes (`isolate: false`). `layer(…)` of
 * @effect/vitest overwrites `effect` and `scoped` of vitest's only `it` with the services of its layer
 * (https://github.com/Effect-TS/effect-smol/pull/2177), so that a later file would run without its test clock.
 */
makeMethods(Object.assign(it, { scopedFixtures: it.scoped }))
