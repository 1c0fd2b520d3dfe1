import { Layer } from "effect"
import { Audit } from "../services/audit/Audit.ts"
import { AuditForwarder } from "../services/audit/AuditForwarder.ts"
import { Leader } from "../services/kernel/concurrency/Leader.ts"
import { Loops } from "../services/kernel/concurrency/Loops.ts"
import { AuditOutbound, Outbound, Resolver } from "../services/kernel/Outbound.ts"
import * as Keys from "./Keys.ts"

/** The audit log and what it needs: loops, leases, calls to outside. Needs its keys, the database, Metrics and Settings. */
export const layerWithoutKeys = Audit.layer.pipe(
  Layer.provideMerge(AuditForwarder.layer),
  Layer.provideMerge(Loops.layer),
  Layer.provideMerge(Leader.layer),
  Layer.provideMerge(Layer.merge(Outbound.layer, AuditOutbound.layer)),
  Layer.provideMerge(Resolver.layer)
)

/** `layerWithoutKeys`, and the brain's keys. */
export const layer = Layer.provideMerge(layerWithoutKeys, Keys.layer)
