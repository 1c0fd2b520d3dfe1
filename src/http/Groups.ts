import { HttpApiGroup, HttpApiMiddleware } from "@effect/platform"
import { CurrentActor, CurrentAgent, CurrentProject } from "../services/kernel/CurrentActor.ts"
import { inChapter, type Tag } from "./Docs/Tags.ts"

/*
 * The kinds of groups of endpoints: what handlers are given of the request. `Routes.ts` resolves it once, from the
 * endpoint's `Access` annotation; the middleware tags only carry the types: a handler of a group without
 * `ProvideProject` cannot get a project.
 */

export class ProvideActor extends HttpApiMiddleware.Tag<ProvideActor>()("svc/http/ProvideActor", {
  provides: CurrentActor
}) {}

export class ProvideAgent extends HttpApiMiddleware.Tag<ProvideAgent>()("svc/http/ProvideAgent", {
  provides: CurrentAgent
}) {}

export class ProvideProject extends HttpApiMiddleware.Tag<ProvideProject>()("svc/http/ProvideProject", {
  provides: CurrentProject
}) {}

/** Handlers are given nothing. The endpoints are under `chapter` in the reference. */
export const plainGroup = <const Id extends string>(id: Id, chapter: Tag) =>
  HttpApiGroup.make(id).annotateContext(inChapter(chapter))

/** Handlers are given the caller. */
export const actorGroup = <const Id extends string>(id: Id, chapter: Tag) =>
  plainGroup(id, chapter).middleware(ProvideActor)

/** Handlers are given the caller and the project of the path. */
export const projectGroup = <const Id extends string>(id: Id, chapter: Tag) =>
  actorGroup(id, chapter).middleware(ProvideProject)

/** Handlers are given the agent that calls. */
export const agentGroup = <const Id extends string>(id: Id, chapter: Tag) =>
  plainGroup(id, chapter).middleware(ProvideAgent)
