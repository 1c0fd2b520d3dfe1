import { Layer } from "effect"
import { Audit } from "../services/Audit.ts"
import { AuditForwarder } from "../services/AuditForwarder.ts"
import { Leader } from "../services/Leader.ts"
import { Loops } from "../services/Loops.ts"
import { Outbound, Resolver } from "../services/Outbound.ts"
import * as Keys from "./Keys.ts"

/** The audit log and what it needs: its keys, loops, leases, calls to outside. Needs the database, Metrics and Settings. */
export const layer = Audit.layer.pipe(
  Layer.provideMerge(AuditForwarder.layer),
  Layer.provideMerge(Loops.layer),
  Layer.provideMerge(Leader.layer),
  Layer.provideMerge(Outbound.layer),
  Layer.provideMerge(Resolver.layer),
  Layer.provideMerge(Keys.layer)
)
