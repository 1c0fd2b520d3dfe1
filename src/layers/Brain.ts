import { Layer } from "effect"
import { checkEffectVersion } from "../domain/EffectVersion.ts"
import { Activity } from "../services/Activity.ts"
import { AgentProcesses } from "../services/AgentProcesses.ts"
import { AllowedHosts } from "../services/AllowedHosts.ts"
import { Checkpoints } from "../services/Audit/Checkpoints.ts"
import { Denials } from "../services/Audit/Denials.ts"
import { AuditVerifier } from "../services/Audit/Verifier.ts"
import { Health } from "../services/Health.ts"
import { Ingest } from "../services/Ingest.ts"
import { Vault } from "../services/Keys.ts"
import { LiveTasks } from "../services/LiveTasks.ts"
import { Metrics } from "../services/Metrics.ts"
import { Queues } from "../services/Queues.ts"
import { RateLimits } from "../services/RateLimits.ts"
import { RowCaps } from "../services/RowCaps.ts"
import { TaskChanges } from "../services/TaskChanges.ts"
import { Tasks } from "../services/Tasks.ts"
import { TaskRetention } from "../services/Tasks/Retention.ts"
import * as TaskVacuum from "../services/Tasks/Vacuum.ts"
import { Workers } from "../services/Workers.ts"
import * as AuditLog from "./AuditLog.ts"
import * as Commands from "./Commands.ts"
import * as Database from "./Database.ts"
import * as Gateway from "./Gateway.ts"
import * as Identity from "./Identity.ts"

/** Every capability of the brain over the database that the settings name. Needs Settings and a FileSystem. */
export const layer = Layer.mergeAll(
  Commands.layer,
  Identity.layerLoops,
  AuditVerifier.layerLoop,
  Gateway.layerReceiver,
  AllowedHosts.layer,
  AgentProcesses.layer,
  Workers.layer,
  Queues.layer,
  Health.layer,
  LiveTasks.layer,
  Activity.layer,
  Denials.layer,
  Tasks.layer,
  TaskRetention.layerLoop,
  TaskVacuum.loop
).pipe(
  Layer.provideMerge(Gateway.layerAgentSessions),
  Layer.provideMerge(Layer.mergeAll(Gateway.layerPresence, Commands.layerInbox, Ingest.layer)),
  Layer.provideMerge(Identity.layer),
  Layer.provideMerge(RateLimits.layer),
  Layer.provideMerge(Layer.merge(TaskChanges.layer, RowCaps.layer)),
  // below all that writes rows: the last checkpoint is signed after them
  Layer.provideMerge(Checkpoints.layerLoop.pipe(Layer.provide(Checkpoints.layer))),
  Layer.provideMerge(Vault.layer),
  Layer.provideMerge(AuditLog.layer),
  Layer.provideMerge(Database.layerServer),
  Layer.provideMerge(Metrics.layer),
  Layer.provideMerge(Layer.effectDiscard(checkEffectVersion))
)
