import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access, type Rule } from "../../domain/Access.ts"
import { CommandList, CommandPublic } from "../../domain/Command.ts"
import {
  BulkRetryRequest,
  CancelTaskRequest,
  ConsumerRequest,
  PoolResizeRequest,
  PurgeQueueRequest,
  RateLimitRequest,
  RequeueDeadLetterRequest,
  RestartWorkerRequest,
  RetryTaskRequest
} from "../../domain/Command/Requests.ts"
import { QueryLimit } from "../../domain/Task/Filter.ts"
import { GivenId } from "../../domain/Text.ts"
import { Authenticated, InProject } from "../Access.ts"
import { slug } from "../Projects/Api.ts"

const commandId = HttpApiSchema.param("command_id", GivenId)

const Filter = Schema.Struct({
  /** One of the statuses; anything else means all. */
  status: Schema.optional(Schema.String),
  cursor: Schema.optional(Schema.String),
  limit: Schema.optional(QueryLimit)
})

const read: Rule = { caller: "viewer", scope: "commands:read" }
const write: Rule = { caller: "operator", scope: "commands:write", mutates: true }
const issue: Rule = { ...write, creates: true }

/** Two overrides of 64 KiB each as JSON, with room for callers who escape every character or indent. */
const retryBody = 425_984

/** Ten thousand ids of 200 characters, and the rest. */
const bulkBody = 2_621_440

/** Commands to agents (interface, Commands; bodies: commands). */
export class CommandsApi extends HttpApiGroup.make("commands")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/commands`
      .setUrlParams(Filter)
      .addSuccess(CommandList)
      .annotate(Access, read)
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/commands/${commandId}`
      .addSuccess(CommandPublic)
      .annotate(Access, read)
  )
  .add(
    HttpApiEndpoint.post("cancel")`/projects/${slug}/commands/${commandId}/cancel`
      .addSuccess(CommandPublic)
      .annotate(Access, write)
  )
  .add(
    HttpApiEndpoint.post("retryTask")`/projects/${slug}/commands/retry-task`
      .setPayload(RetryTaskRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issue, bodyLimit: retryBody })
  )
  .add(
    HttpApiEndpoint.post("cancelTask")`/projects/${slug}/commands/cancel-task`
      .setPayload(CancelTaskRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issue, destructive: true })
  )
  .add(
    HttpApiEndpoint.post("requeueDeadLetter")`/projects/${slug}/commands/requeue-dead-letter`
      .setPayload(RequeueDeadLetterRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issue)
  )
  .add(
    HttpApiEndpoint.post("bulkRetry")`/projects/${slug}/commands/bulk-retry`
      .setPayload(BulkRetryRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issue, bucket: "bulk_write", bodyLimit: bulkBody })
  )
  .add(
    HttpApiEndpoint.post("purgeQueue")`/projects/${slug}/commands/purge-queue`
      .setPayload(PurgeQueueRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issue, caller: "admin", destructive: true, bucket: "bulk_write" })
  )
  .add(
    HttpApiEndpoint.post("restartWorker")`/projects/${slug}/commands/restart-worker`
      .setPayload(RestartWorkerRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issue, destructive: true })
  )
  .add(
    HttpApiEndpoint.post("poolResize")`/projects/${slug}/commands/pool-resize`
      .setPayload(PoolResizeRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issue)
  )
  .add(
    HttpApiEndpoint.post("addConsumer")`/projects/${slug}/commands/add-consumer`
      .setPayload(ConsumerRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issue)
  )
  .add(
    HttpApiEndpoint.post("cancelConsumer")`/projects/${slug}/commands/cancel-consumer`
      .setPayload(ConsumerRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issue, destructive: true })
  )
  .add(
    HttpApiEndpoint.post("rateLimit")`/projects/${slug}/commands/rate-limit`
      .setPayload(RateLimitRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issue)
  )
  .middleware(InProject)
  .middleware(Authenticated)
{}
