import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, Option } from "effect"
import type {
  Channel,
  ChannelCreate,
  ChannelTestRequest,
  ChannelUpdate,
  ImportFromProject,
  ImportFromUser,
  UserChannel
} from "../../domain/alerting/Channel.ts"
import { cutText } from "../../domain/kernel/CutText.ts"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { ChannelId } from "../../domain/kernel/Id.ts"
import type { Project } from "../../domain/kernel/Project.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit } from "../audit/Audit.ts"
import { Projects } from "../identity/Projects.ts"
import { CurrentActor, currentPerson, CurrentProject, requireRole } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import type { ChannelConfig } from "./Channels/ChannelType.ts"
import { ChannelTypes } from "./Channels/ChannelTypes.ts"
import { ChannelConfigs } from "./Channels/Configs.ts"
import { type ChannelOwner, type ChannelRow, ChannelsRepo, healthy } from "./Channels/Repo.ts"
import { makeSendTest } from "./Channels/SendTest.ts"
import { Deliveries } from "./Deliveries.ts"

/** Of a project, and of a user. The lists have no pages. */
const maxChannels = { project: 100, user: 20 } as const

const tooMany = new Conflict({
  code: "too_many_channels",
  detail:
    `A project has at most ${maxChannels.project} channels, and a user ${maxChannels.user}. Delete one that is not used.`
})

const changedMeanwhile = new Conflict({
  detail: "Another request changed the channel at the same moment. Read it, then repeat the request."
})

const noChannel = new NotFound({ resource: "channel" })

/** A row with its config, decrypted. */
interface OpenChannel {
  readonly row: ChannelRow
  readonly config: ChannelConfig
}

/**
 * Where messages are sent (docs/notifications.md): channels of a project, for its admins, and of a user. No call of a
 * provider is made within a transaction.
 */
export class Channels extends Effect.Service<Channels>()("svc/Channels", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ChannelsRepo
    const configs = yield* ChannelConfigs
    const deliveries = yield* Deliveries
    const sendTest = yield* makeSendTest
    const projects = yield* Projects
    const audit = yield* Audit

    const ofProject = Effect.map(CurrentProject, ({ id }): ChannelOwner => ({ project_id: id }))
    const ofUser = Effect.map(currentPerson, ({ user_id }): ChannelOwner => ({ user_id }))

    const actingUser = Effect.map(CurrentActor, (actor) => (actor.kind === "person" ? actor : null))

    const open = (row: ChannelRow): Effect.Effect<OpenChannel> =>
      Effect.map(configs.open(row.id, row.sealed_config), (config) => ({ row, config }))

    const find = (owner: ChannelOwner, id: ChannelId) =>
      Effect.flatMap(
        repo.find(owner, id),
        Option.match({ onNone: () => noChannel, onSome: open })
      )

    const show = ({ config, row }: OpenChannel) =>
      Effect.map(configs.show(row.type, config), (shown): UserChannel => ({
        id: row.id,
        name: row.name,
        type: row.type,
        ...shown,
        is_verified: row.is_verified,
        is_active: row.is_active,
        created_at: row.created_at,
        updated_at: row.updated_at,
        ...(row.disabled_reason !== null && { disabled_reason: row.disabled_reason })
      }))

    const showOfProject = (channel: OpenChannel) =>
      Effect.zipWith(CurrentProject, show(channel), ({ id }, { is_verified: _, ...shown }): Channel => ({
        project_id: id,
        ...shown
      }))

    const recordChange = (action: string, { id, name, project_id, type }: ChannelRow, metadata: object = {}) =>
      audit.record({
        action,
        target_type: "channel",
        target_id: id,
        ...(project_id !== null && { project_id }),
        metadata: { name, type, ...metadata }
      })

    const list = (owner: ChannelOwner) => Effect.flatMap(repo.list(owner), Effect.forEach(open))

    /** Inserts a channel whose config was checked. */
    const insert = Effect.fnUntraced(
      function*(
        owner: ChannelOwner,
        { is_active, name, type }: Omit<ChannelCreate, "config">,
        config: ChannelConfig,
        metadata: object = {}
      ) {
        const isProject = "project_id" in owner
        const limit = isProject ? maxChannels.project : maxChannels.user
        yield* lockName(sql, `channels ${isProject ? owner.project_id : owner.user_id}`)
        if ((yield* repo.count(owner)) >= limit) return yield* tooMany
        const now = yield* Timestamp.now
        const id = yield* Ids.nextOf(ChannelId)
        const row: ChannelRow = {
          id,
          project_id: null,
          user_id: null,
          ...owner,
          name,
          type,
          sealed_config: yield* configs.seal(id, config),
          is_active,
          is_verified: false,
          ...healthy,
          disabled_at: null,
          disabled_reason: null,
          created_by: (yield* actingUser)?.user_id ?? null,
          created_at: now,
          updated_at: now
        }
        yield* repo.insert(row)
        yield* recordChange("channel.created", row, metadata)
        return { row, config } satisfies OpenChannel
      },
      sql.withTransaction
    )

    const create = (owner: ChannelOwner, input: ChannelCreate) =>
      Effect.flatMap(configs.validate(input.type, input.config), (config) => insert(owner, input, config))

    /** Writes the change, unless the config was changed after it was read. */
    const write = Effect.fnUntraced(
      function*(
        owner: ChannelOwner,
        read: OpenChannel,
        { is_active, name }: ChannelUpdate,
        changed: ChannelConfig | null
      ) {
        const row = yield* Effect.flatMap(
          repo.findForUpdate(owner, read.row.id),
          Option.match({ onNone: () => noChannel, onSome: Effect.succeed })
        )
        if (changed !== null && row.sealed_config !== read.row.sealed_config) return yield* changedMeanwhile
        const activates = is_active === true && !row.is_active
        const isNew = changed !== null || activates
        const updated: ChannelRow = {
          ...row,
          name: name ?? row.name,
          is_active: is_active ?? row.is_active,
          ...(changed !== null && { sealed_config: yield* configs.seal(row.id, changed), is_verified: false }),
          // what failed before says nothing about the new config, or after what a person repaired
          ...(isNew && healthy),
          ...(activates && { disabled_at: null, disabled_reason: null }),
          updated_at: yield* Timestamp.now
        }
        yield* repo.update(updated)
        const fields = [
          ...(name === undefined || name === null ? [] : ["name"]),
          ...(changed === null ? [] : ["config"]),
          ...(is_active === undefined || is_active === null ? [] : ["is_active"])
        ]
        yield* recordChange("channel.updated", updated, { fields, is_active: updated.is_active })
        return { row: updated, config: changed ?? read.config } satisfies OpenChannel
      },
      sql.withTransaction
    )

    const update = Effect.fnUntraced(function*(owner: ChannelOwner, id: ChannelId, changes: ChannelUpdate) {
      const channel = yield* find(owner, id)
      const given = changes.config ?? null
      const changed = given === null
        ? null
        : yield* configs.change(channel.row.type, channel.config, given, yield* Timestamp.now)
      return yield* write(owner, channel, changes, changed)
    })

    /** Subscriptions lose the channel; its deliveries stay in the log. */
    const remove = Effect.fnUntraced(
      function*(owner: ChannelOwner, id: ChannelId) {
        const { row } = yield* find(owner, id)
        yield* repo.delete(id)
        yield* recordChange("channel.deleted", row)
      },
      sql.withTransaction
    )

    /** A test message with a config that is not saved. Leaves a row in the audit log, and no delivery. */
    const testConfig = Effect.fnUntraced(function*(project: Project | null, request: ChannelTestRequest) {
      const config = yield* configs.validate(request.type, request.config)
      const { result } = yield* sendTest(project, request.type, "not saved", config)
      yield* sql.withTransaction(audit.record({
        action: "channel.tested",
        target_type: "channel",
        ...(project !== null && { project_id: project.id }),
        metadata: { type: request.type, success: result.success, response_code: result.status_code }
      }))
      return result
    })

    const test = Effect.fnUntraced(function*(owner: ChannelOwner, project: Project | null, id: ChannelId) {
      const { config, row } = yield* find(owner, id)
      const { outcome, result, ...sent } = yield* sendTest(project, row.type, row.name, config)
      const changedConfig = Either.getOrNull(outcome)?.changed_config
      yield* Effect.gen(function*() {
        if (changedConfig !== undefined) {
          yield* repo.replaceConfig(row.id, row.sealed_config, yield* configs.seal(row.id, changedConfig))
        }
        if (result.success) yield* repo.verify(row.id)
        yield* deliveries.recordTest(
          {
            project_id: row.project_id,
            user_id: row.user_id,
            subscription_id: null,
            channel: row,
            notification: sent.notification,
            sender: yield* actingUser
          },
          {
            delivery_id: sent.id,
            number: 1,
            status: result.success ? "sent" : "failed",
            response_code: result.status_code,
            error: result.error,
            response_body: result.response_body,
            started_at: sent.started_at,
            duration_ms: sent.duration_ms
          }
        )
        yield* recordChange("channel.tested", row, { success: result.success, response_code: result.status_code })
      }).pipe(sql.withTransaction)
      return result
    })

    /** Inserts a copy of a channel, with its secrets. */
    const copy = Effect.fnUntraced(
      function*(owner: ChannelOwner, { config, row }: OpenChannel, name: string | null | undefined) {
        yield* configs.check(row.type, config)
        const copyName = name ?? cutText(`Copy of ${row.name}`, 200)
        return yield* insert(owner, { name: copyName, type: row.type, is_active: true }, config, {
          copied_from: row.id
        })
      }
    )

    /** Copies a personal channel of the caller into the project. */
    const importFromUser = Effect.fn("Channels.importFromUser")(
      function*({ name, user_channel_id }: ImportFromUser) {
        const source = yield* find(yield* ofUser, ChannelId.make(user_channel_id))
        return yield* Effect.flatMap(copy(yield* ofProject, source, name), showOfProject)
      },
      orDieOnSql
    )

    /** Copies a project's channel to the caller, who must be an admin of the project: the copy has its secrets. */
    const importFromProject = Effect.fn("Channels.importFromProject")(
      function*({ channel_id, name, project_slug }: ImportFromProject) {
        const project = yield* projects.getBySlug(project_slug)
        yield* requireRole(project.id, "admin")
        const source = yield* find({ project_id: project.id }, ChannelId.make(channel_id))
        return yield* Effect.flatMap(copy(yield* ofUser, source, name), show)
      },
      orDieOnSql
    )

    return {
      /** Channels of the current project. */
      project: {
        list: Effect.fn("Channels.list")(
          () => Effect.flatMap(Effect.flatMap(ofProject, list), Effect.forEach(showOfProject)),
          orDieOnSql
        ),
        create: Effect.fn("Channels.create")(
          (input: ChannelCreate) =>
            Effect.flatMap(Effect.flatMap(ofProject, (owner) => create(owner, input)), showOfProject),
          orDieOnSql
        ),
        update: Effect.fn("Channels.update")(
          (id: ChannelId, changes: ChannelUpdate) =>
            Effect.flatMap(Effect.flatMap(ofProject, (owner) => update(owner, id, changes)), showOfProject),
          orDieOnSql
        ),
        remove: Effect.fn("Channels.remove")(
          (id: ChannelId) => Effect.flatMap(ofProject, (owner) => remove(owner, id)),
          orDieOnSql
        ),
        test: Effect.fn("Channels.test")(
          (id: ChannelId) => Effect.flatMap(CurrentProject, (project) => test({ project_id: project.id }, project, id)),
          orDieOnSql
        ),
        testConfig: Effect.fn("Channels.testConfig")(
          (request: ChannelTestRequest) => Effect.flatMap(CurrentProject, (project) => testConfig(project, request)),
          orDieOnSql
        ),
        importFromUser
      },
      /** Channels of the acting person. */
      personal: {
        list: Effect.fn("Channels.listPersonal")(
          () => Effect.flatMap(Effect.flatMap(ofUser, list), Effect.forEach(show)),
          orDieOnSql
        ),
        create: Effect.fn("Channels.createPersonal")(
          (input: ChannelCreate) => Effect.flatMap(Effect.flatMap(ofUser, (owner) => create(owner, input)), show),
          orDieOnSql
        ),
        update: Effect.fn("Channels.updatePersonal")(
          (id: ChannelId, changes: ChannelUpdate) =>
            Effect.flatMap(Effect.flatMap(ofUser, (owner) => update(owner, id, changes)), show),
          orDieOnSql
        ),
        remove: Effect.fn("Channels.removePersonal")(
          (id: ChannelId) => Effect.flatMap(ofUser, (owner) => remove(owner, id)),
          orDieOnSql
        ),
        test: Effect.fn("Channels.testPersonal")(
          (id: ChannelId) => Effect.flatMap(ofUser, (owner) => test(owner, null, id)),
          orDieOnSql
        ),
        testConfig: Effect.fn("Channels.testConfigPersonal")(
          (request: ChannelTestRequest) => testConfig(null, request),
          orDieOnSql
        ),
        importFromProject
      }
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ChannelConfigs.layer, ChannelsRepo.layer, ChannelTypes.layer, Deliveries.layer, Projects.layer])
  )
}
