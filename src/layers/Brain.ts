import { Layer } from "effect"
import { layerAgentSessions } from "../agents/gateway/SessionRegistry.ts"
import { checkEffectVersion } from "../domain/EffectVersion.ts"
import { Activity } from "../services/Activity.ts"
import { AgentProcesses } from "../services/AgentProcesses.ts"
import { AllowedHosts } from "../services/AllowedHosts.ts"
import { Checkpoints } from "../services/Audit/Checkpoints.ts"
import { Denials } from "../services/Audit/Denials.ts"
import { AuditVerifier } from "../services/Audit/Verifier.ts"
import { Commands } from "../services/Commands.ts"
import { AbortedTasks } from "../services/Commands/AbortedTasks.ts"
import { TaskReconciliation } from "../services/Commands/Reconciliation.ts"
import { CommandSweep } from "../services/Commands/Sweep.ts"
import { Health } from "../services/Health.ts"
import { Ingest } from "../services/Ingest.ts"
import { Vault } from "../services/Keys.ts"
import { LiveTasks } from "../services/LiveTasks.ts"
import { Metrics } from "../services/Metrics.ts"
import { Queues } from "../services/Queues.ts"
import { RateLimits } from "../services/RateLimits.ts"
import { Schedules } from "../services/Schedules.ts"
import * as FireLoop from "../services/Schedules/FireLoop.ts"
import { ScheduleFleet } from "../services/Schedules/Fleet.ts"
import { ScheduleImports } from "../services/Schedules/Imports.ts"
import * as OperationLoop from "../services/Schedules/OperationLoop.ts"
import { ScheduleOperations } from "../services/Schedules/Operations.ts"
import { ScheduleRecovery } from "../services/Schedules/Recovery.ts"
import { TaskChanges } from "../services/TaskChanges.ts"
import { Tasks } from "../services/Tasks.ts"
import { TaskRetention } from "../services/Tasks/Retention.ts"
import * as TaskVacuum from "../services/Tasks/Vacuum.ts"
import { Workers } from "../services/Workers.ts"
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
  AgentProcesses.layer,
  AllowedHosts.layer,
  AuditVerifier.layerLoop,
  Commands.layer,
  CommandSweep.layerLoop,
  Denials.layer,
  Gateway.layer,
  Health.layer,
  Identity.layer,
  Identity.layerLoops,
  Ingest.layer,
  LiveTasks.layer,
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
  TaskChanges.layer,
  TaskReconciliation.layerLoop,
  TaskRetention.layerLoop,
  Tasks.layer,
  TaskVacuum.loop,
  Workers.layer
).pipe(
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
