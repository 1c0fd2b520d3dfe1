import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type {
  Channel,
  ChannelCreate,
  ChannelTestRequest,
  ChannelUpdate,
  ImportFromProject,
  ImportFromUser,
  UserChannel
} from "../../domain/alerting/Channel.ts"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { ChannelId } from "../../domain/kernel/Id.ts"
import type { Project } from "../../domain/kernel/Project.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { truncateText } from "../../domain/kernel/TruncateText.ts"
import { Audit } from "../audit/Audit.ts"
import { Projects } from "../identity/Projects.ts"
import { CurrentActor, currentPerson, CurrentProject, requireRole } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import type { ChannelConfig } from "./Channels/ChannelType.ts"
import { ChannelTypes } from "./Channels/ChannelTypes.ts"
import { ChannelConfigs } from "./Channels/Configs.ts"
import { type ChannelOwner, type ChannelRow, ChannelsRepo, healthy } from "./Channels/Repo.ts"
import { makeSendTest, type SentTest, toTestResult } from "./Channels/SendTest.ts"
import { Deliveries } from "./Deliveries.ts"

/** Of a project, and of a user. The lists have no pages. */
const maxChannels = { project: 100, user: 20 } as const

const tooMany = new Conflict({
  code: "too_many_channels",
  detail:
    `A project has at most ${maxChannels.project} channels, and a user ${maxChannels.user}. Delete one that is not used.`
})

const concurrentChange = new Conflict({
  detail: "Another request changed the channel at the same moment. Read it, then repeat the request."
})

const noChannel = new NotFound({ resource: "channel" })

/** A row with its config, decrypted. */
interface OpenChannel {
  readonly row: ChannelRow
  readonly config: ChannelConfig
}

/** Whose channels, and the project that its tests are about. */
interface Place {
  readonly owner: ChannelOwner
  readonly project: Project | null
}

/** The row after a change. `sealed`: its new config; null: it keeps the stored one. */
const changeRow = (
  row: ChannelRow,
  { is_active, name }: ChannelUpdate,
  sealed: string | null,
  updated_at: Timestamp.Timestamp
): ChannelRow => {
  const activates = is_active === true && !row.is_active
  return {
    ...row,
    name: name ?? row.name,
    is_active: is_active ?? row.is_active,
    ...(sealed !== null && { sealed_config: sealed, is_verified: false }),
    // what failed before says nothing about the new config, or after what a person repaired
    ...((sealed !== null || activates) && healthy),
    ...(activates && { disabled_at: null, disabled_reason: null }),
    updated_at
  }
}

/**
 * Where messages are sent (docs/notifications.md): channels of a project, for its admins, and of a user. No
 * provider is called within a transaction.
 */
export class Channels extends Effect.Service<Channels>()("svc/Channels", {
  // The methods of both owners, which `channelsOf` makes of the steps above it.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ChannelsRepo
    const configs = yield* ChannelConfigs
    const deliveries = yield* Deliveries
    const sendTest = yield* makeSendTest
    const projects = yield* Projects
    const audit = yield* Audit

    const ofProject = Effect.map(CurrentProject, (project): Place => ({ owner: { project_id: project.id }, project }))
    const ofPerson = Effect.map(currentPerson, ({ user_id }): Place => ({ owner: { user_id }, project: null }))

    const actingUser = Effect.map(CurrentActor, (actor) => (actor.kind === "person" ? actor : null))

    const open = (row: ChannelRow): Effect.Effect<OpenChannel> =>
      Effect.map(configs.open(row.id, row.sealed_config), (config) => ({ row, config }))

    const find = (owner: ChannelOwner, id: ChannelId) =>
      repo.find(owner, id).pipe(Effect.flatMap(orFail(noChannel)), Effect.flatMap(open))

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

    /** Writes the change, unless the config was changed after it was read. */
    const write = Effect.fnUntraced(
      function*(
        owner: ChannelOwner,
        read: OpenChannel,
        changes: ChannelUpdate,
        changed: ChannelConfig | null
      ) {
        const row = yield* Effect.flatMap(repo.findForUpdate(owner, read.row.id), orFail(noChannel))
        if (changed !== null && row.sealed_config !== read.row.sealed_config) return yield* concurrentChange
        const sealed = changed === null ? null : yield* configs.seal(row.id, changed)
        const updated = changeRow(row, changes, sealed, yield* Timestamp.now)
        yield* repo.update(updated)
        const { is_active, name } = changes
        const fields = Object.entries({ name, config: changed, is_active })
          .filter(([, value]) => value !== undefined && value !== null).map(([field]) => field)
        yield* recordChange("channel.updated", updated, { fields, is_active: updated.is_active })
        return { row: updated, config: changed ?? read.config } satisfies OpenChannel
      },
      sql.withTransaction
    )

    /** A test message with a config that is not saved. Leaves a row in the audit log, and no delivery. */
    const testUnsaved = Effect.fnUntraced(function*(project: Project | null, request: ChannelTestRequest) {
      const config = yield* configs.validate(request.type, request.config)
      const { attempt } = yield* sendTest(project, request.type, "not saved", config)
      const result = toTestResult(attempt)
      yield* sql.withTransaction(audit.record({
        action: "channel.tested",
        target_type: "channel",
        ...(project !== null && { project_id: project.id }),
        metadata: { type: request.type, success: result.success, response_code: result.status_code }
      }))
      return result
    })

    /** Stores what a test of a saved channel showed. */
    const recordTest = Effect.fnUntraced(
      function*(row: ChannelRow, { attempt, changed_config, notification }: SentTest) {
        const { project_id, user_id } = row
        if (changed_config !== null) {
          yield* repo.replaceConfig(row.id, row.sealed_config, yield* configs.seal(row.id, changed_config))
        }
        const { status_code: response_code, success } = toTestResult(attempt)
        if (success) yield* repo.verify(row.id)
        yield* deliveries.recordTest(
          { project_id, user_id, subscription_id: null, channel: row, notification, sender: yield* actingUser },
          attempt
        )
        yield* recordChange("channel.tested", row, { success, response_code })
      },
      sql.withTransaction
    )

    /** Inserts a copy of a channel, with its secrets. */
    const copy = Effect.fnUntraced(
      function*(owner: ChannelOwner, { config, row }: OpenChannel, name: string | null | undefined) {
        yield* configs.check(row.type, config)
        const copyName = name ?? truncateText(`Copy of ${row.name}`, 200)
        return yield* insert(owner, { name: copyName, type: row.type, is_active: true }, config, {
          copied_from: row.id
        })
      }
    )

    /** The channels of one owner. */
    const channelsOf = <E, R, Shown, R2>(
      findPlace: Effect.Effect<Place, E, R>,
      show: (channel: OpenChannel) => Effect.Effect<Shown, never, R2>
    ) => ({
      list: Effect.fn("Channels.list")(function*() {
        const { owner } = yield* findPlace
        return yield* Effect.forEach(yield* repo.list(owner), (row) => Effect.flatMap(open(row), show))
      }, orDieOnSql),
      create: Effect.fn("Channels.create")(function*(input: ChannelCreate) {
        const { owner } = yield* findPlace
        return yield* show(yield* insert(owner, input, yield* configs.validate(input.type, input.config)))
      }, orDieOnSql),
      update: Effect.fn("Channels.update")(function*(id: ChannelId, changes: ChannelUpdate) {
        const { owner } = yield* findPlace
        const channel = yield* find(owner, id)
        const patch = changes.config ?? null
        const changed = patch === null
          ? null
          : yield* configs.change(channel.row.type, channel.config, patch, yield* Timestamp.now)
        return yield* show(yield* write(owner, channel, changes, changed))
      }, orDieOnSql),
      /** Subscriptions lose the channel; its deliveries stay in the log. */
      remove: Effect.fn("Channels.remove")(function*(id: ChannelId) {
        const { owner } = yield* findPlace
        const { row } = yield* find(owner, id)
        yield* repo.delete(id)
        yield* recordChange("channel.deleted", row)
      }, inTransaction(sql)),
      test: Effect.fn("Channels.test")(function*(id: ChannelId) {
        const { owner, project } = yield* findPlace
        const { config, row } = yield* find(owner, id)
        const sent = yield* sendTest(project, row.type, row.name, config)
        yield* recordTest(row, sent)
        return toTestResult(sent.attempt)
      }, orDieOnSql),
      testConfig: Effect.fn("Channels.testConfig")(function*(request: ChannelTestRequest) {
        const { project } = yield* findPlace
        return yield* testUnsaved(project, request)
      }, orDieOnSql)
    })

    /** Copies a personal channel of the caller into the project. */
    const importFromUser = Effect.fn("Channels.importFromUser")(
      function*({ name, user_channel_id }: ImportFromUser) {
        const { owner } = yield* ofProject
        const source = yield* find((yield* ofPerson).owner, ChannelId.make(user_channel_id))
        return yield* showOfProject(yield* copy(owner, source, name))
      },
      orDieOnSql
    )

    /** Copies a project's channel to the caller, who must be an admin of the project: the copy has its secrets. */
    const importFromProject = Effect.fn("Channels.importFromProject")(
      function*({ channel_id, name, project_slug }: ImportFromProject) {
        const project = yield* projects.getBySlug(project_slug)
        yield* requireRole(project.id, "admin")
        const source = yield* find({ project_id: project.id }, ChannelId.make(channel_id))
        return yield* show(yield* copy((yield* ofPerson).owner, source, name))
      },
      orDieOnSql
    )

    return {
      /** Channels of the current project. */
      project: { ...channelsOf(ofProject, showOfProject), importFromUser },
      /** Channels of the current person. */
      personal: { ...channelsOf(ofPerson, show), importFromProject }
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ChannelConfigs.layer, ChannelsRepo.layer, ChannelTypes.layer, Deliveries.layer, Projects.layer])
  )
}
