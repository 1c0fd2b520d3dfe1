import { Layer } from "effect"
import { Commands } from "../services/Commands.ts"
import { AbortedTasks } from "../services/Commands/AbortedTasks.ts"
import { CommandAdmission } from "../services/Commands/Admission.ts"
import { CommandDispatch } from "../services/Commands/Dispatch.ts"
import * as Inbox from "../services/Commands/Inbox.ts"
import { CommandIntents } from "../services/Commands/Intents.ts"
import { CommandIssue } from "../services/Commands/Issue.ts"
import { CommandQueueRepo } from "../services/Commands/QueueRepo.ts"
import { TaskReconciliation } from "../services/Commands/Reconciliation.ts"
import { RemoteProcesses } from "../services/Commands/RemoteProcesses.ts"
import { CommandsRepo } from "../services/Commands/Repo.ts"
import { TaskRetries } from "../services/Commands/Retries.ts"
import { CommandStatusRepo } from "../services/Commands/StatusRepo.ts"
import { CommandSweep } from "../services/Commands/Sweep.ts"
import { CommandWriter } from "../services/Commands/Writer.ts"

const layerRepos = Layer.mergeAll(
  CommandsRepo.layer,
  CommandQueueRepo.layer,
  CommandStatusRepo.layer,
  TaskRetries.layer
)

/** Where the gateway puts the agents' answers to commands. */
export const layerInbox = Inbox.layer.pipe(Layer.provide(layerRepos))

/** Commands with their loops. Needs AgentSessions, which in turn needs `layerInbox`. */
export const layer = Layer.mergeAll(
  Commands.layer,
  CommandSweep.layerLoop,
  AbortedTasks.layerLoop,
  TaskReconciliation.layerLoop.pipe(Layer.provide(TaskReconciliation.layer))
).pipe(
  Layer.provide(Layer.merge(CommandIntents.layer, CommandIssue.layer)),
  Layer.provide(CommandAdmission.layer),
  Layer.provide(CommandWriter.layer),
  Layer.provideMerge(CommandSweep.layer),
  Layer.provide(CommandDispatch.layer.pipe(Layer.provide(RemoteProcesses.layer))),
  Layer.provide(layerRepos)
)
