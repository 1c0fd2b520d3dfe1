import { Effect, Layer } from "effect"
import { NotFound } from "../../domain/kernel/Errors.ts"
import { type ProjectId, type UserId, UserNotificationId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { ListUserNotifications, UserNotification } from "../../domain/kernel/UserNotification.ts"
import { yieldToEventLoop } from "./concurrency/EventLoop.ts"
import { currentPerson, visibleProjects } from "./CurrentActor.ts"
import * as Ids from "./Ids.ts"
import { InboxRepo, type InboxView, type UserNotificationRow } from "./Inbox/Repo.ts"
import { Settings } from "./Settings.ts"
import { Hints, orDieOnSql } from "./sql/Database.ts"
import { decodeStart, pageOf } from "./sql/RowPage.ts"

const defaultLimit = 50

/** Rows of a person and project between two trims: an inbox has at most so many more than the cap, for each replica. */
const trimAfter = 500

/** Inboxes whose rows are counted in memory. */
const maxCounted = 20_000

/** A row in a user's inbox. */
export interface NewUserNotification {
  readonly user_id: UserId
  readonly project_id: ProjectId
  readonly subscription_id: string | null
  readonly alert_id: string | null
  readonly trigger: string
  /** Why the user gets it, such as `subscription`. */
  readonly reason: string
  readonly title: string
  readonly body: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** What users read in the dashboard: a row for each user and message (docs/notifications.md, Inbox). */
export class Inbox extends Effect.Service<Inbox>()("svc/Inbox", {
  effect: Effect.gen(function*() {
    const repo = yield* InboxRepo
    const hints = yield* Hints
    const { inboxRowsPerMember: cap } = yield* Settings
    /** Rows since the last trim, by user and project. One that is not in it may have any number of rows. */
    const untrimmed = new Map<string, number>()

    /** Keeps inboxes near the cap: counting the rows at each insert would read all of them. */
    const trim = Effect.fnUntraced(function*(notifications: ReadonlyArray<NewUserNotification>) {
      if (untrimmed.size > maxCounted) untrimmed.clear()
      for (const { project_id, user_id } of notifications) {
        const key = `${user_id} ${project_id}`
        const rows = (untrimmed.get(key) ?? trimAfter) + 1
        untrimmed.set(key, rows > trimAfter ? 0 : rows)
        if (rows > trimAfter) yield* repo.trim(user_id, project_id, cap)
      }
    })

    /** Inserts rows in the caller's transaction; open streams of their users show them after its commit. */
    const insert = Effect.fn("Inbox.insert")(function*(notifications: ReadonlyArray<NewUserNotification>) {
      if (notifications.length === 0) return
      const now = yield* Timestamp.now
      // ids of one millisecond are not ordered, and the list is
      const ids = (yield* Effect.forEach(notifications, () => Ids.nextOf(UserNotificationId))).sort()
      const rows = notifications.map(({ data, trigger, ...rest }, index) => ({
        id: ids[index]!,
        ...rest,
        trigger_key: trigger,
        data: JSON.stringify(data)
      }))
      yield* repo.insert(rows, now)
      yield* trim(notifications)
      const users = new Set(notifications.map(({ user_id }) => user_id))
      yield* Effect.forEach(users, (userId) => hints.publish("inbox", userId), { discard: true })
    }, orDieOnSql)

    /** In the caller's transaction: what these messages ask for has ended. They say how, and are read. */
    const close = Effect.fn("Inbox.close")(
      function*(
        { data, project_id, trigger }: Pick<NewUserNotification, "project_id" | "trigger" | "data">,
        sent_at: Timestamp.Timestamp,
        body: string
      ) {
        const notice = { project_id, trigger_key: trigger, data: JSON.stringify(data), sent_at, body }
        const users = yield* repo.close(notice, yield* Timestamp.now)
        yield* Effect.forEach(users, (userId) => hints.publish("inbox", userId), { discard: true })
      },
      orDieOnSql
    )

    const toShown = ({ trigger_key, user_id: _, ...row }: UserNotificationRow): UserNotification => ({
      ...row,
      trigger: trigger_key
    })

    /** Of the projects that the caller sees: rows of a project that the user has left are hidden. */
    const visibleTo = Effect.map(currentPerson, (person): InboxView => ({
      user_id: person.user_id,
      projects: visibleProjects(person)
    }))

    /** The caller's, newest first. */
    const list = Effect.fn("Inbox.list")(function*({ limit = defaultLimit, ...query }: ListUserNotifications) {
      const start = yield* decodeStart("inbox", { ...query, limit })
      const rows = yield* repo.list(yield* visibleTo, query.unread_only === true, start, limit + 1)
      return pageOf("inbox", { limit }, rows.map(toShown))
    }, orDieOnSql)

    const countUnread = Effect.fn("Inbox.countUnread")(function*() {
      return { unread: yield* repo.countUnread(yield* visibleTo) }
    }, orDieOnSql)

    /** Also a row that the caller no longer sees, unless their key is bound to another project. */
    const read = Effect.fn("Inbox.read")(function*(id: UserNotificationId) {
      const { user_id, via } = yield* currentPerson
      const bound = via.kind === "api_key" ? via.project_id : null
      const view: InboxView = { user_id, projects: bound === null ? { except: [] } : { only: [bound] } }
      if (!(yield* repo.markRead(view, id, yield* Timestamp.now))) {
        return yield* new NotFound({ resource: "notification" })
      }
      yield* hints.publish("inbox", view.user_id)
    }, orDieOnSql)

    const readAll = Effect.fn("Inbox.readAll")(function*() {
      const view = yield* visibleTo
      const now = yield* Timestamp.now
      let beforeId: string | null = Ids.maxIdAt(Timestamp.toEpochMillis(now)) // what arrives during the update stays unread
      while (beforeId !== null) {
        beforeId = yield* repo.markSomeRead(view, beforeId, now)
        yield* yieldToEventLoop
      }
      yield* hints.publish("inbox", view.user_id)
    }, orDieOnSql)

    return { insert, close, list, countUnread, read, readAll } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(InboxRepo.layer))
}
