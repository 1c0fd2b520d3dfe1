import { FetchHttpClient } from "@effect/platform"
import { Layer } from "effect"
import { checkEffectVersion } from "../domain/kernel/EffectVersion.ts"
import { layerAgentSessions } from "../gateway/SessionRegistry.ts"
import { AgentProcesses } from "../services/agents/AgentProcesses.ts"
import { AgentUptimes } from "../services/agents/AgentUptimes.ts"
import { Workers } from "../services/agents/Workers.ts"
import * as Notifications from "../services/alerting/Notifications.ts"
import { Approvals } from "../services/approvals/Approvals.ts"
import { AuditExports } from "../services/audit/AuditExports.ts"
import { AuditExportRunner } from "../services/audit/AuditExports/Runner.ts"
import { Checkpoints } from "../services/audit/Checkpoints.ts"
import { Denials } from "../services/audit/Denials.ts"
import { AuditVerifier } from "../services/audit/Verifier.ts"
import * as Automation from "../services/automation/Automation.ts"
import * as AbortedTasks from "../services/commands/AbortedTasks.ts"
import { BulkJobs } from "../services/commands/BulkJobs.ts"
import { BulkJobRunner } from "../services/commands/BulkJobs/Runner.ts"
import { BulkRetries } from "../services/commands/BulkRetries.ts"
import { Commands } from "../services/commands/Commands.ts"
import { DeadLetters } from "../services/commands/DeadLetters.ts"
import * as QueueResumption from "../services/commands/QueueResumption.ts"
import * as TaskReconciliation from "../services/commands/Reconciliation.ts"
import * as CommandSweep from "../services/commands/Sweep.ts"
import { AllowedHosts } from "../services/kernel/AllowedHosts.ts"
import { DashboardPages } from "../services/kernel/DashboardPages.ts"
import { Inbox } from "../services/kernel/Inbox.ts"
import { Vault } from "../services/kernel/keys/Keys.ts"
import { Metrics } from "../services/kernel/Metrics.ts"
import { RateLimits } from "../services/kernel/RateLimits.ts"
import { Activity } from "../services/operations/Activity.ts"
import { Deploys } from "../services/operations/Deploys.ts"
import { Health } from "../services/operations/Health.ts"
import { Home } from "../services/operations/Home.ts"
import { Marks } from "../services/operations/Marks.ts"
import { Releases } from "../services/operations/Releases.ts"
import * as Removal from "../services/operations/Removal.ts"
import { Versions } from "../services/operations/Versions.ts"
import * as FireLoop from "../services/schedules/FireLoop.ts"
import { ScheduleFleet } from "../services/schedules/Fleet.ts"
import { ScheduleImports } from "../services/schedules/Imports.ts"
import * as LateFires from "../services/schedules/LateFires.ts"
import * as OperationLoop from "../services/schedules/OperationLoop.ts"
import { ScheduleOperations } from "../services/schedules/Operations.ts"
import { ScheduleRecovery } from "../services/schedules/Recovery.ts"
import { Schedules } from "../services/schedules/Schedules.ts"
import { Differences } from "../services/tasks/Differences.ts"
import * as FailureRates from "../services/tasks/FailureRates.ts"
import { Failures } from "../services/tasks/Failures.ts"
import * as FailureRecoveries from "../services/tasks/Failures/Recoveries.ts"
import * as FailureTriage from "../services/tasks/Failures/TriageChanges.ts"
import { Ingest } from "../services/tasks/Ingest.ts"
import { LiveTasks } from "../services/tasks/LiveTasks.ts"
import { Queues } from "../services/tasks/Queues.ts"
import * as TaskRetention from "../services/tasks/Retention.ts"
import { Rollups } from "../services/tasks/Rollups.ts"
import { RollupMerge } from "../services/tasks/Rollups/Merge.ts"
import * as RollupRetention from "../services/tasks/Rollups/Retention.ts"
import { RunningTasks } from "../services/tasks/RunningTasks.ts"
import { SavedViews } from "../services/tasks/SavedViews.ts"
import { SearchablePaths } from "../services/tasks/SearchablePaths.ts"
import * as SearchableFill from "../services/tasks/SearchablePaths/Fill.ts"
import { Stats } from "../services/tasks/Stats.ts"
import { TaskChanges } from "../services/tasks/TaskChanges.ts"
import { TaskExports } from "../services/tasks/TaskExports.ts"
import { TaskExportRunner } from "../services/tasks/TaskExports/Runner.ts"
import { Tasks } from "../services/tasks/Tasks.ts"
import * as TaskVacuum from "../services/tasks/Vacuum.ts"
import { TaskWhy } from "../services/tasks/Why.ts"
import { TriggerEvents } from "../services/triggers/TriggerEvents.ts"
import * as AuditLog from "./AuditLog.ts"
import * as Database from "./Database.ts"
import * as Gateway from "./Gateway.ts"
import * as Identity from "./Identity.ts"
import * as SchedulerServer from "./SchedulerServer.ts"

/**
 * Every capability of the brain over the database that the settings name. Needs Settings and a FileSystem. A layer
 * provides the layers that it uses; Effect builds each of them once, so all users of Ingest share its queue.
 */
export const layer = Layer.mergeAll(
  AbortedTasks.layerLoop,
  Activity.layer,
  Approvals.layer,
  Approvals.layerLoop,
  AgentProcesses.layer,
  AgentUptimes.layer,
  AllowedHosts.layer,
  AuditExports.layer,
  AuditExportRunner.layerLoop,
  AuditVerifier.layer,
  AuditVerifier.layerLoop,
  BulkJobs.layer,
  BulkJobRunner.layerLoop,
  BulkRetries.layer,
  Automation.layer,
  Commands.layer,
  CommandSweep.layerLoop,
  QueueResumption.layerLoop,
  DashboardPages.layer,
  DeadLetters.layer,
  Denials.layer,
  Deploys.layer,
  Differences.layer,
  Gateway.layer,
  Health.layer,
  Identity.layer,
  Identity.layerLoops,
  Inbox.layer,
  Home.layer,
  Ingest.layer,
  LiveTasks.layer,
  Marks.layer,
  Notifications.layer,
  Queues.layer,
  FireLoop.layer,
  Schedules.layer,
  ScheduleFleet.layer,
  ScheduleImports.layer,
  ScheduleRecovery.layer,
  SchedulerServer.layer,
  OperationLoop.layer,
  ScheduleOperations.layer,
  RateLimits.layer,
  Rollups.layer,
  RollupMerge.layer,
  RollupMerge.layerLoop,
  RollupRetention.layerLoop,
  RunningTasks.layer,
  SavedViews.layer,
  SearchablePaths.layer,
  Stats.layer,
  TaskChanges.layer,
  TaskExports.layer,
  TaskExportRunner.layerLoop,
  TaskReconciliation.layerLoop,
  FailureRates.layerLoop,
  FailureRecoveries.layerLoop,
  SearchableFill.layerLoop,
  FailureTriage.layerLoop,
  Failures.layer,
  TaskRetention.layerLoop,
  Tasks.layer,
  TaskWhy.layer,
  TaskVacuum.loop,
  TriggerEvents.layer,
  Versions.layer.pipe(Layer.provide(Releases.layer), Layer.provide(FetchHttpClient.layer)),
  Workers.layer
).pipe(
  // approved invitations and memberships check what keys may grant
  Layer.provide(Identity.layerScopes),
  // what areas do for those below them
  Layer.provide([LateFires.layer, Removal.layer]),
  // services cannot import the gateway, so Commands cannot provide the sessions that it sends through
  Layer.provideMerge(layerAgentSessions),
  // below all that writes rows: the last checkpoint is signed after them
  Layer.provideMerge(Checkpoints.layerLoop),
  // what every capability uses
  Layer.provideMerge(Vault.layer),
  Layer.provideMerge(AuditLog.layer),
  Layer.provideMerge(Database.layerServer),
  Layer.provideMerge(Metrics.layer),
  Layer.provideMerge(Layer.effectDiscard(checkEffectVersion))
)
