import { Context, type MutableRef } from "effect"
import type { Readiness } from "../../domain/kernel/Readiness.ts"

/** Why the program does not serve yet. */
export type StartupReason = Exclude<Extract<Readiness, { status: "unready" }>["reason"], "audit_log" | "schema">

/**
 * What the start waits for, as `/health/ready` reports it while the program listens but does not serve yet. A server
 * that is built before the brain provides it; a brain that is built first has none.
 */
export class Startup extends Context.Tag("svc/Startup")<Startup, MutableRef.MutableRef<StartupReason>>() {}
