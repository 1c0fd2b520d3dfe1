import { HttpApiMiddleware } from "@effect/platform"
import { CurrentActor, CurrentAgent, CurrentProject } from "../services/CurrentActor.ts"

/**
 * What an endpoint's handler may ask for, by its declared access. The work is done once, in `Routes.ts`, from the
 * endpoint's `Access` annotation; these tags only make the types say it: a handler of a group without
 * `InProject` cannot get a project.
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
