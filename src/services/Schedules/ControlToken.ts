import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Id } from "../../domain/Id.ts"

/** A new control token: every act on a schedule replaces the one before. */
export const nextToken = Effect.sync(() => Id.make(randomUUID(), { disableValidation: true }))
