import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import { CommandList, CommandPublic } from "../../../domain/commands/Command.ts"
import {
  BulkRetryRequest,
  CancelTaskRequest,
  ConsumerRequest,
  PauseQueueRequest,
  PoolResizeRequest,
  PurgeQueueRequest,
  RateLimitRequest,
  RequeueDeadLetterRequest,
  RestartWorkerRequest,
  ResumeQueueRequest,
  RetryTaskRequest
} from "../../../domain/commands/Command/Requests.ts"
import { Access, type AccessRule } from "../../../domain/kernel/Access.ts"
import { describeField, exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, CommandId, IdPart } from "../../../domain/kernel/Id.ts"
import { pageQuery } from "../../../domain/kernel/Query.ts"
import { text } from "../../../domain/kernel/Text.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const commandId = pathParameter("command_id", caseInsensitiveId(CommandId), "The command's id.", exampleId)

const ListCommands = Schema.Struct({
  status: describeField(Schema.optional(Schema.String), "One of the statuses; anything else means all.", "pending"),
  engine: describeField(Schema.optional(text(40)), "The engine of `task_id`.", "celery"),
  task_id: describeField(
    Schema.optional(text(200)),
    "Only commands to this task of the engine, and those that retried it or created it.",
    "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"
  ),
  id: describeField(
    Schema.optional(IdPart),
    "Only commands whose id begins with this; of the newest 10 000 also those whose id ends with it, or whose last " +
      "eight characters begin with it.",
    "3c458890"
  ),
  ...pageQuery
}).pipe(
  Schema.filter(({ engine, task_id }) =>
    (engine === undefined) === (task_id === undefined) ||
    { path: [engine === undefined ? "engine" : "task_id"], message: "send both engine and task_id, or neither" }
  )
)

const readRule: AccessRule = { caller: "viewer", scope: "commands:read" }
const writeRule: AccessRule = { caller: "operator", scope: "commands:write", mutates: true }
const issueRule: AccessRule = { ...writeRule, creates: true }

/** Two overrides of 64 KiB each as JSON, with room for callers who escape every character or indent. */
const maxRetryBodyBytes = 425_984

/** Ten thousand ids of 200 characters, and the rest. */
const maxBulkRetryBodyBytes = 2_621_440

/** Commands to agents (interface, Commands; bodies: commands). */
export class CommandsApi extends projectGroup("commands", "Commands")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/commands`
      .setUrlParams(ListCommands)
      .addSuccess(CommandList)
      .annotate(Access, readRule)
      .annotateContext(operation("List commands", "Newest first."))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/commands/${commandId}`
      .addSuccess(CommandPublic)
      .annotate(Access, readRule)
      .annotateContext(operation("Show a command", "With its outcome, once it has ended."))
  )
  .add(
    HttpApiEndpoint.post("cancel")`/projects/${slug}/commands/${commandId}/cancel`
      .addSuccess(CommandPublic)
      .annotate(Access, { ...writeRule, failureCodes: ["command_not_pending"] })
      .annotateContext(operation(
        "Cancel a command",
        "While it is pending; a dispatched one can no longer be recalled."
      ))
  )
  .add(
    HttpApiEndpoint.post("retryTask")`/projects/${slug}/commands/retry-task`
      .setPayload(RetryTaskRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issueRule, bodyLimit: maxRetryBodyBytes })
      .annotateContext(operation(
        "Retry a task",
        "Runs it again, with its own arguments or others. 202: read the command for its outcome."
      ))
  )
  .add(
    HttpApiEndpoint.post("cancelTask")`/projects/${slug}/commands/cancel-task`
      .setPayload(CancelTaskRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issueRule, destructive: true })
      .annotateContext(operation("Cancel a task", "Revokes it, or asks the worker to stop it."))
  )
  .add(
    HttpApiEndpoint.post("requeueDeadLetter")`/projects/${slug}/commands/requeue-dead-letter`
      .setPayload(RequeueDeadLetterRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issueRule)
      .annotateContext(operation("Requeue a dead-lettered task", "For engines that set failed messages aside."))
  )
  .add(
    HttpApiEndpoint.post("bulkRetry")`/projects/${slug}/commands/bulk-retry`
      .setPayload(BulkRetryRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, {
        ...issueRule,
        bucket: "bulk_write",
        bodyLimit: maxBulkRetryBodyBytes,
        failureCodes: ["use_bulk_retry_requests", ...approvalCodes]
      })
      .annotateContext(operation("Retry many tasks", "By their ids. An unknown id is 422."))
  )
  .add(
    HttpApiEndpoint.post("purgeQueue")`/projects/${slug}/commands/purge-queue`
      .setPayload(PurgeQueueRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, {
        ...issueRule,
        caller: "admin",
        stepUp: true,
        destructive: true,
        bucket: "bulk_write",
        failureCodes: approvalCodes
      })
      .annotateContext(operation(
        "Purge a queue",
        "Deletes every waiting message. With `observed_depth` the agent refuses when the queue has another " +
          "length."
      ))
  )
  .add(
    HttpApiEndpoint.post("pauseQueue")`/projects/${slug}/commands/pause-queue`
      .setPayload(PauseQueueRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issueRule, destructive: true })
      .annotateContext(operation(
        "Pause a queue",
        "No worker of any process takes its tasks; running ones continue. The server resumes it at `resume_at`."
      ))
  )
  .add(
    HttpApiEndpoint.post("resumeQueue")`/projects/${slug}/commands/resume-queue`
      .setPayload(ResumeQueueRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issueRule)
      .annotateContext(operation("Resume a queue", "Workers take its tasks again."))
  )
  .add(
    HttpApiEndpoint.post("restartWorker")`/projects/${slug}/commands/restart-worker`
      .setPayload(RestartWorkerRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issueRule, destructive: true })
      .annotateContext(operation("Restart a worker", "Its tasks end first, as the engine does it."))
  )
  .add(
    HttpApiEndpoint.post("poolResize")`/projects/${slug}/commands/pool-resize`
      .setPayload(PoolResizeRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issueRule)
      .annotateContext(operation("Grow or shrink a worker's pool", "By `delta` processes or threads."))
  )
  .add(
    HttpApiEndpoint.post("addConsumer")`/projects/${slug}/commands/add-consumer`
      .setPayload(ConsumerRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issueRule)
      .annotateContext(operation("Let a worker consume a queue", "In addition to its own."))
  )
  .add(
    HttpApiEndpoint.post("cancelConsumer")`/projects/${slug}/commands/cancel-consumer`
      .setPayload(ConsumerRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, { ...issueRule, destructive: true })
      .annotateContext(operation("Stop a worker from consuming a queue", "Its other queues continue."))
  )
  .add(
    HttpApiEndpoint.post("rateLimit")`/projects/${slug}/commands/rate-limit`
      .setPayload(RateLimitRequest)
      .addSuccess(CommandPublic, { status: 202 })
      .annotate(Access, issueRule)
      .annotateContext(operation(
        "Limit a task's rate",
        "On one worker, or on all without `worker_name`. `0` lifts the limit."
      ))
  )
{}
