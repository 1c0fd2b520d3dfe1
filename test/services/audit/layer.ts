import { Layer } from "effect"
import { system } from "../../../src/domain/kernel/Actor.ts"
import * as AuditLog from "../../../src/layers/AuditLog.ts"
import * as DatabaseLayer from "../../../src/layers/Database.ts"
import { Checkpoints } from "../../../src/services/audit/Checkpoints.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { Metrics } from "../../../src/services/kernel/Metrics.ts"

/** The audit log with its checkpoints, over the settings' database; none of the brain's loops. */
export const auditLog = Layer.mergeAll(Checkpoints.layer, Layer.succeed(CurrentActor, system("test"))).pipe(
  Layer.provideMerge(AuditLog.layer),
  Layer.provideMerge(DatabaseLayer.layer),
  Layer.provideMerge(Metrics.layer)
)
