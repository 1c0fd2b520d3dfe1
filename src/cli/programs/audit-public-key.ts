import { Console, Effect } from "effect"
import { readKeys } from "../AuditLog.ts"
import { settings } from "../Settings.ts"

export const run = () =>
  Effect.gen(function*() {
    const { auditSigning: { trusted } } = yield* readKeys
    yield* Console.log([...trusted.values()].map(({ key_id, public_key }) => `${key_id} ${public_key}`).join("\n"))
  }).pipe(Effect.provide(settings()))
