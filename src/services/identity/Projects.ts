import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Struct } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { ProjectId } from "../../domain/kernel/Id.ts"
import { selectChanges } from "../../domain/kernel/Patch.ts"
import { acceptsAddress, type CreateProject, Project, type UpdateProject } from "../../domain/kernel/Project.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Deciders } from "../approvalGate/Deciders.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeChange } from "../approvalGate/Subject.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { CurrentActor, CurrentProject, requireStepUp, roleIn } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Removal } from "../kernel/Removal.ts"
import { Hints, inTransaction, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { tracedFn } from "../kernel/TracedFn.ts"
import { ProjectsRepo } from "./Projects/Repo.ts"

const noSecondPerson = new Conflict({
  code: "no_second_person",
  detail:
    "Nothing could be approved: the project has no other admin, and the brain no other global admin. Add one first."
})

const onlyNewPeople = new Conflict({
  code: "no_second_person",
  detail:
    "Nothing could be approved: the project's other admins and the brain's other global admins have not been that " +
    "for long enough (SVC_APPROVAL_DECIDER_DAYS). The operator of the brain's machine can vouch for one: " +
    "svc vouch <e-mail address>."
})

/** A new project can be used from everywhere, every member sees arguments and results, and nothing waits. */
const initialPolicies = { allowed_cidrs: null, payload_role: "viewer", approvals: null } as const

/** Who reaches the project, sees its payloads, and may act alone. */
const protectedFields = ["allowed_cidrs", "payload_role", "approvals"] as const

/** All that a person can set of a project. */
const settingsOf = (project: Project) => Struct.omit(project, "id", "created_at", "updated_at")

const orNotFound = orFail(new NotFound({ resource: "project" }))

const slugTaken = (slug: string) =>
  new Conflict({ code: "slug_taken", detail: `There is already a project "${slug}".` })

export class Projects extends Effect.Service<Projects>()("svc/Projects", {
  // Short methods over the same services, one an endpoint.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ProjectsRepo
    const removal = yield* Removal
    const audit = yield* Audit
    const hints = yield* Hints
    const gate = yield* ApprovalGate
    const deciders = yield* Deciders

    /** The projects that the actor sees from the address of the request, by slug; a bound API key sees only its own. */
    const list = Effect.fn("Projects.list")(function*() {
      const actor = yield* CurrentActor
      return (yield* repo.list).filter((project) => roleIn(actor, project.id) !== null)
    }, orDieOnSql)

    /** The project of a slug; NotFound unless the actor can see it. */
    const getBySlug = tracedFn("Projects.getBySlug")(function*(slug: string) {
      const actor = yield* CurrentActor
      const found = yield* repo.findBySlug(slug)
      return yield* orNotFound(Option.filter(found, (project) => roleIn(actor, project.id) !== null))
    }, orDieOnSql)

    /** A list without the caller's own address would lock the caller out. */
    const requireOwnAddress = Effect.fnUntraced(function*(allowed_cidrs: Project["allowed_cidrs"] | undefined) {
      const actor = yield* CurrentActor
      if (actor.kind === "system" || acceptsAddress({ allowed_cidrs: allowed_cidrs ?? null }, actor.source_ip)) return
      return yield* ValidationFailed.at(
        "allowed_cidrs",
        `does not contain your own address, ${actor.source_ip ?? "which is unknown"}; you would lose access`
      )
    })

    /** A policy needs a second person to approve, and a change of one awaits approval like what it protects. */
    const checkPolicyChange = Effect.fnUntraced(function*(request: UpdateProject, changed: Project) {
      const project = yield* CurrentProject
      const { approvals } = changed
      const actor = yield* CurrentActor
      if (actor.kind === "person" && approvals !== null) {
        const now = yield* Timestamp.now
        if ((yield* deciders.listOthers(project.id, actor.user_id)).length === 0) return yield* noSecondPerson
        if ((yield* deciders.listEligible(project.id, actor.user_id, now)).length === 0) return yield* onlyNewPeople
      }
      const isChange = JSON.stringify(approvals) !== JSON.stringify(project.approvals)
      const summary = "Change what waits for a second person"
      const subject = Effect.succeed(makeChange(settingsOf(project), settingsOf(changed)))
      yield* gate.check({ kind: "policy", request, summary, subject }, () => isChange)
    })

    const create = Effect.fn("Projects.create")(function*(input: CreateProject) {
      const now = yield* Timestamp.now
      const project: Project = {
        ...input,
        id: yield* Ids.nextOf(ProjectId),
        is_active: true,
        ...initialPolicies,
        created_at: now,
        updated_at: now
      }
      yield* repo.insert(project).pipe(Effect.catchIf(isUniqueViolation, () => slugTaken(input.slug)))
      yield* audit.record(auditEntry("project.created", "project", project.id, { project_id: project.id }))
      return project
    }, inTransaction(sql))

    /** The current project, locked: since the request was authorized, another one may have changed it. */
    const lockCurrent = Effect.flatMap(CurrentProject, ({ id }) => Effect.flatMap(repo.findForUpdate(id), orNotFound))

    /** Changes the given fields; null clears a nullable field. */
    const update = Effect.fn("Projects.update")(
      function*(changes: UpdateProject) {
        const project = yield* CurrentProject
        const changedFields = selectChanges(Project.fields, changes)
        if (protectedFields.some((field) => changedFields[field] !== undefined)) yield* requireStepUp
        yield* requireOwnAddress(changedFields.allowed_cidrs)
        const updated: Project = { ...project, ...changedFields, updated_at: yield* Timestamp.now }
        if (changedFields.approvals !== undefined) yield* checkPolicyChange(changes, updated)
        yield* repo.update(updated).pipe(Effect.catchIf(isUniqueViolation, () => slugTaken(updated.slug)))
        yield* audit.record(auditEntry("project.updated", "project", project.id, {
          project_id: project.id,
          metadata: { fields: Object.keys(changedFields) }
        }))
        return updated
      },
      Effect.provideServiceEffect(CurrentProject, lockCurrent),
      sql.withTransaction,
      gate.record,
      orDieOnSql
    )

    /**
     * Deletes the project with its agents, memberships and bound keys; pending and dispatched commands end as
     * cancelled. `sweepDeleted` deletes tasks and commands later, in slices. The audit log keeps its rows.
     */
    const remove = Effect.fn("Projects.remove")(function*() {
      const { id, slug } = yield* CurrentProject
      // before the transaction: deleting thousands of rows or gigabytes in it would block every other writer
      yield* repo.deleteHealth(id)
      yield* repo.deleteExports(id)
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* removal.ofProject(id)
        const agentIds = yield* repo.listAgentIds(id)
        yield* repo.insertDeletion(id, yield* Timestamp.now)
        yield* repo.delete(id)
        yield* Effect.forEach([id, ...agentIds], (changed) => hints.publish("access", changed), { discard: true })
        yield* hints.publish("schedules", id)
        yield* audit.record(auditEntry("project.deleted", "project", id, { project_id: id, metadata: { slug } }))
      }))
    }, orDieOnSql)

    /**
     * Deletes the remaining rows of deleted projects. A deletion is repeated for ten minutes, in which all events that
     * were in flight at the deletion have arrived, and on until no row is left.
     */
    const sweepDeleted = Effect.fn("Projects.sweepDeleted")(function*() {
      const deletions = yield* repo.listDeletions
      yield* Effect.forEach(deletions, ({ project_id }) => repo.deleteOrphans(project_id), { discard: true })
      const cutoff = Timestamp.addSeconds(yield* Timestamp.now, -600)
      const expiredDeletions = deletions.filter(({ created_at }) => created_at <= cutoff)
      yield* Effect.forEach(expiredDeletions, ({ project_id }) => repo.deleteDeletion(project_id), { discard: true })
    }, orDieOnSql)

    return { list, getBySlug, create, update, remove, sweepDeleted } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ApprovalGate.layer, Deciders.layer, ProjectsRepo.layer])
  )

  /** Deletes the remaining rows of deleted projects, twice a minute. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const projects = yield* Projects
    yield* loops.upkeep("deleted projects", "30 seconds", projects.sweepDeleted())
  })).pipe(Layer.provide(this.layer))
}
