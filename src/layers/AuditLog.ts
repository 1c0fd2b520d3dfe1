import { Layer } from "effect"
import { Audit } from "../services/Audit.ts"
import { AuditForwarder } from "../services/AuditForwarder.ts"
import { Loops } from "../services/Loops.ts"
import { Outbound, Resolver } from "../services/Outbound.ts"
import * as Keys from "./Keys.ts"

/** The audit log and what it stands on: its keys, loops, calls to outside. Needs the database, Metrics and Settings. */
export const layer = Audit.layer.pipe(
  Layer.provideMerge(AuditForwarder.layer),
  Layer.provideMerge(Loops.layer),
  Layer.provideMerge(Outbound.layer),
  Layer.provideMerge(Resolver.layer),
  Layer.provideMerge(Keys.layer)
)
