import { HttpApiMiddleware } from "@effect/platform"
import { CurrentActor, CurrentAgent, CurrentProject } from "../services/kernel/CurrentActor.ts"

/**
 * Middleware tags that give handlers the current actor, agent or project. `Routes.ts` resolves them once, from the
 * endpoint's `Access` annotation; the tags only carry the types: a handler of a group without `InProject` cannot get a
 * project.
 */
export class ProvideActor extends HttpApiMiddleware.Tag<ProvideActor>()("svc/http/Authenticated", {
  provides: CurrentActor
}) {}

export class ProvideAgent extends HttpApiMiddleware.Tag<ProvideAgent>()("svc/http/FromAgent", {
  provides: CurrentAgent
}) {}

export class ProvideProject extends HttpApiMiddleware.Tag<ProvideProject>()("svc/http/InProject", {
  provides: CurrentProject
}) {}
