import { Layer } from "effect"
import { system } from "../../../src/domain/Actor.ts"
import * as DatabaseLayer from "../../../src/layers/Database.ts"
import * as KeysLayer from "../../../src/layers/Keys.ts"
import { Audit } from "../../../src/services/Audit.ts"
import { Checkpoints } from "../../../src/services/Audit/Checkpoints.ts"
import { AuditForwarder } from "../../../src/services/AuditForwarder.ts"
import { CurrentActor } from "../../../src/services/CurrentActor.ts"
import { Loops } from "../../../src/services/Loops.ts"
import { Metrics } from "../../../src/services/Metrics.ts"
import { Outbound, Resolver } from "../../../src/services/Outbound.ts"

/** The audit log and what looks after it, over the settings' database; none of the brain's loops. */
export const auditLog = Layer.mergeAll(Checkpoints.layer, Layer.succeed(CurrentActor, system("test"))).pipe(
  Layer.provideMerge(Audit.layer),
  Layer.provideMerge(AuditForwarder.layer),
  Layer.provideMerge(Loops.layer),
  Layer.provideMerge(Outbound.layer),
  Layer.provideMerge(Resolver.layer),
  Layer.provideMerge(KeysLayer.layer),
  Layer.provideMerge(DatabaseLayer.layer),
  Layer.provideMerge(Metrics.layer)
)
