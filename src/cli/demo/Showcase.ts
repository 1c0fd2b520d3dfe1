import { Effect, Option, Redacted, Schedule, Schema } from "effect"
import { DefaultSubscriptionCreate } from "../../domain/alerting/Notification/Subscription.ts"
import { RuleCreate } from "../../domain/automation/Automation.ts"
import type { User } from "../../domain/identity/User.ts"
import { system } from "../../domain/kernel/Actor.ts"
import type { AgentId } from "../../domain/kernel/Id.ts"
import { Channels } from "../../services/alerting/Channels.ts"
import { Subscriptions } from "../../services/alerting/Subscriptions.ts"
import { AutomationRules } from "../../services/automation/AutomationRules.ts"
import { Commands } from "../../services/commands/Commands.ts"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import { Authentication } from "../../services/identity/Authentication.ts"
import { Memberships } from "../../services/identity/Memberships.ts"
import { Projects } from "../../services/identity/Projects.ts"
import { Users } from "../../services/identity/Users.ts"
import { CurrentActor, CurrentProject } from "../../services/kernel/CurrentActor.ts"
import { Queues } from "../../services/tasks/Queues.ts"
import * as Media from "./Media.ts"

export const colleagueEmail = "mara@example.com"
const channelName = "ops"
/** A queue that is empty for so many seconds was purged. */
const maxReads = 120

const retryDeclined = Schema.decodeSync(RuleCreate)({
  name: "Retry declined payments",
  trigger: "task.failed",
  conditions: { task_name: "payment.charge", exception: "CardDeclined" },
  actions: [{ type: "retry", max_retries: 1 }],
  dry_run: true
})

/**
 * What the demo shows beside its tasks: a second person, a channel, a subscription whose alert opens at once, a rule in a dry
 * run, and the policy that a purge waits for a second person. In the current project, at the first start. Returns the
 * colleague's API key.
 */
export const createShowcase = Effect.fnUntraced(function*(admin: User, password: string, receiverUrl: string) {
  const users = yield* Users
  const memberships = yield* Memberships
  const channels = yield* Channels
  const subscriptions = yield* Subscriptions
  const rules = yield* AutomationRules
  const projects = yield* Projects
  const keys = yield* ApiKeys
  const colleague = yield* users.create({
    email: colleagueEmail,
    first_name: null,
    last_name: null,
    display_name: "Mara",
    password: Redacted.make(password),
    is_admin: false,
    timezone: "UTC"
  })
  for (const { id } of [admin, colleague]) {
    yield* memberships.grant({ user_id: id, role: "admin" })
    yield* users.vouch(id) // else they decide only after SVC_APPROVAL_DECIDER_DAYS
  }
  const channel = yield* channels.project.create({
    name: channelName,
    type: "webhook",
    config: { url: receiverUrl },
    is_active: true
  })
  yield* subscriptions.createDefault(
    Schema.decodeSync(DefaultSubscriptionCreate)({
      trigger: "task.failed",
      filters: { task_name: "catalog.*" },
      project_channel_ids: [channel.id],
      grouping: { wait_seconds: 0, interval_seconds: 300, repeat_seconds: 14_400 }
    })
  )
  yield* rules.create(retryDeclined)
  const project = yield* CurrentProject
  const limits = { project_id: project.id, expires_in_days: null, allowed_cidrs: null }
  const key = yield* keys.createFor(colleague, { name: "scripts", scopes: ["commands:write"], ...limits })
  // last, because with a policy most of the above would wait too
  yield* projects.update({ approvals: { purge: true, bulk_over: null, destructive_rules: false } })
  return key.token
})

/** The receiver has another port at each start. */
const updateChannel = Effect.fnUntraced(function*(receiverUrl: string) {
  const channels = yield* Channels
  const channel = (yield* channels.project.list()).find(({ name }) => name === channelName)
  if (channel !== undefined && channel.config.url !== receiverUrl) {
    yield* channels.project.update(channel.id, { config: { url: receiverUrl } })
  }
})

/** How deep the abandoned queue is. Fails while it is empty, or not reported yet. */
const readDepth = Effect.gen(function*() {
  const queues = yield* Queues
  const { items } = yield* queues.list({ limit: 200 })
  const found = items.find(({ engine, name }) => engine === Media.engineName && name === Media.abandonedQueue)
  return yield* Option.filter(Option.fromNullable(found?.depth), (depth) => depth > 0)
})

/**
 * The colleague asks for a purge of the abandoned queue, which then waits for another admin. As over HTTP: with her
 * rights and the project's policy as they are now. Nothing where she may not, where no policy would stop her, where the
 * queue is empty, and where she has asked before.
 */
const requestPurge = Effect.fnUntraced(function*(key: string, slug: string, agent_id: AgentId) {
  const authentication = yield* Authentication
  const commands = yield* Commands
  const found = yield* authentication.findByApiKey(key, { source_ip: null, user_agent: null }, true, slug)
  if (Option.isNone(found) || found.value.project?.approvals?.purge !== true) return
  const { person, project } = found.value
  yield* Effect.gen(function*() {
    const observed_depth = yield* Effect.retry(readDepth, { schedule: Schedule.spaced("1 second"), times: maxReads })
    yield* commands.purgeQueue({
      agent_id,
      engine: Media.engineName,
      queue: Media.abandonedQueue,
      observed_depth,
      confirm_token: null,
      force: false,
      idempotency_key: null
    })
  }).pipe(
    Effect.provideService(CurrentActor, person),
    Effect.provideService(CurrentProject, project),
    Effect.catchTag("Forbidden", () => Effect.void) // it waits
  )
}, Effect.ignoreLogged)

/** At each start: the colleague asks as soon as the agent is there, and the channel sends to the receiver of this process. */
export const openShowcase = Effect.fnUntraced(
  function*(colleagueKey: string, slug: string, agentId: AgentId, receiverUrl: string) {
    yield* Effect.forkScoped(requestPurge(colleagueKey, slug, agentId))
    const projects = yield* Projects
    const asSystem = Effect.provideService(CurrentActor, system("svc serve --demo"))
    const project = yield* asSystem(projects.getBySlug(slug))
    yield* updateChannel(receiverUrl).pipe(asSystem, Effect.provideService(CurrentProject, project))
  },
  Effect.ignoreLogged // a person may have deleted any of it
)
