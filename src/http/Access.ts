import { HttpApiMiddleware } from "@effect/platform"
import { CurrentActor, CurrentAgent, CurrentProject } from "../services/CurrentActor.ts"

/**
 * Middleware tags that give handlers the current actor, agent or project. `Routes.ts` resolves them once, from the
 * endpoint's `Access` annotation; the tags only carry the types: a handler of a group without `InProject` cannot get a
 * project.
 */
export class Authenticated extends HttpApiMiddleware.Tag<Authenticated>()("svc/http/Authenticated", {
  provides: CurrentActor
}) {}

export class FromAgent extends HttpApiMiddleware.Tag<FromAgent>()("svc/http/FromAgent", {
  provides: CurrentAgent
}) {}

export class InProject extends HttpApiMiddleware.Tag<InProject>()("svc/http/InProject", {
  provides: CurrentProject
}) {}
