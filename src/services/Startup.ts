import { Context, type MutableRef } from "effect"
import type { Readiness } from "../domain/Health.ts"

/** Why the program does not serve yet. */
export type StartupReason = Exclude<Extract<Readiness, { status: "unready" }>["reason"], "audit_log">

/**
 * What the start waits for, as `/health/ready` says it while the program listens and does not serve yet. Provided by a
 * server that is built before the brain; a brain that is built first has none.
 */
export class Startup extends Context.Tag("svc/Startup")<Startup, MutableRef.MutableRef<StartupReason>>() {}
