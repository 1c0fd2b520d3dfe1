import { HttpLayerRouter } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Notification } from "../../../../src/domain/alerting/Notification.ts"
import { SubscriptionId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import * as Server from "../../../../src/layers/Server.ts"
import { AlertsRepo } from "../../../../src/services/alerting/AlertsRepo.ts"
import { AlertLinks } from "../../../../src/services/alerting/Notifications/AlertLinks.ts"
import { AlertMessages, type Message } from "../../../../src/services/alerting/Notifications/AlertMessages.ts"
import { MembershipsRepo } from "../../../../src/services/identity/Memberships/Repo.ts"
import { TriggerEvents } from "../../../../src/services/triggers/TriggerEvents.ts"
import { brainOn, freshKey, freshProject, request, serverOn } from "../../../brain.ts"
import { clientOf } from "../../../client.ts"
import { until } from "../../../until.ts"
import { retry } from "../../automation/rules.ts"
import { failureOf } from "../../triggers/TriggerEvents/world.ts"
import { insertChannel } from "./notifications.ts"

const site = "https://tools.example.com/svc"

/** With the brain's own DashboardPages. */
const ofThisBrain = AlertMessages.Default.pipe(
  Layer.provide([AlertLinks.layer, MembershipsRepo.layer]),
  Layer.provideMerge(AlertsRepo.layer)
)

const kinds: ReadonlyArray<Message["kind"]> = ["alert", "update", "escalation", "acknowledged", "recovered"]

const publicUrl = `${site}/`

const besideAnother = HttpLayerRouter.serve(Server.layerRoutesShared, Server.options).pipe(
  Layer.provideMerge(Server.layerListener),
  Layer.provideMerge(brainOn("SQLite", { publicUrl })),
  Layer.orDie
)

describe.each([
  { name: "a dashboard", dashboard: true, server: serverOn("SQLite", { publicUrl }) },
  { name: "no dashboard", dashboard: false, server: serverOn("SQLite", { dashboard: false, publicUrl }) },
  { name: "the routes beside another application's", dashboard: false, server: besideAnother }
])("links of messages, with $name", ({ dashboard, server }) => {
  layer(server, { excludeTestServices: true })((it) => {
    const setUp = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const triggers = yield* TriggerEvents
      const project = yield* freshProject()
      const { id } = yield* insertChannel({ projectId: project.id })
      return {
        ...(yield* clientOf("admin", project)),
        path: { slug: project.slug },
        token: (yield* freshKey({ roles: { [project.id]: "admin" } })).token,
        channelIds: [id],
        failTask: sql.withTransaction(triggers.record([failureOf(project.id)])),
        sent: Effect.map(
          sql<{ notification: string }>`SELECT notification FROM deliveries WHERE project_id = ${project.id}`,
          (rows) => rows.map(({ notification }): Notification => JSON.parse(notification))
        )
      }
    })

    it.effect("of every kind about an alert lead to the alert", () =>
      Effect.gen(function*() {
        const { alerts, channelIds, failTask, path, sent, token } = yield* setUp
        const { json } = yield* request("POST", `/projects/${path.slug}/notifications/defaults`, {
          token,
          body: {
            trigger: "task.failed",
            project_channel_ids: channelIds,
            escalation: { after_minutes: 60, project_channel_ids: channelIds }
          }
        })
        const subscription_id = SubscriptionId.make(json.id)
        yield* failTask
        const [{ id } = assert.fail()] = yield* until(
          Effect.map(alerts.list({ path, urlParams: {} }), ({ items }) => items),
          ({ length }) => length === 1
        )
        yield* Effect.gen(function*() {
          const found = yield* Effect.flatten((yield* AlertsRepo).findById(id))
          const alert = { ...found, escalated_at: yield* Timestamp.now }
          const recipient = {
            subscription_id,
            project_id: found.project_id,
            user_id: null,
            in_app: false,
            may_use_project_channels: true
          }
          const { enqueue } = yield* AlertMessages
          yield* enqueue(kinds.map((kind) => ({ kind, alert, recipient })), yield* Timestamp.now)
        }).pipe(Effect.provide(ofThisBrain))
        const messages = yield* sent
        assert.includeMembers(messages.map(({ kind }) => kind), [...kinds])
        const page = `/projects/${path.slug}/notifications/alerts/${id}`
        assert.deepStrictEqual([...new Set(messages.map(({ links }) => links.view))], [
          dashboard ? `${site}${page}` : null
        ])
      }))

    it.effect("the page of an invitation links to the dashboard where there is one", () =>
      Effect.gen(function*() {
        const { text } = yield* request("GET", "//invitation")
        assert.strictEqual(text.includes(`<a href="./">Sign in</a>`), dashboard)
      }))

    it.effect("of a rule lead to the rule", () =>
      Effect.gen(function*() {
        const { automation, channelIds, failTask, path, sent } = yield* setUp
        const { id } = yield* automation.create({
          path,
          payload: { ...retry, actions: [{ type: "notify", channel_ids: channelIds, in_app: false }] }
        })
        yield* failTask
        const [message] = yield* until(sent, ({ length }) => length === 1)
        assert.strictEqual(
          message?.links.view,
          dashboard ? `${site}/projects/${path.slug}/automation/${id}` : null
        )
      }))
  })
})
