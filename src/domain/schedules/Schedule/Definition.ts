/** The definition of a schedule: what its source writes, and what makes it differ from that. */
import { createHash } from "node:crypto"
import type { ValidationFailed } from "../../kernel/Errors.ts"
import type { Project } from "../../kernel/Project.ts"
import { lossIssues } from "../../tasks/LossyCopy.ts"
import { maxArgumentBytes, type Schedule, serviceScheduler } from "../Schedule.ts"
import type { ImportedSchedule } from "./Import.ts"

type Issue = ValidationFailed["issues"][number]

/**
 * In the order of the digest: another order would mark each imported schedule as drifted. So would a new name, unless the
 * digest leaves out its default.
 */
export const definitionNames = [
  "engine",
  "kind",
  "expression",
  "timezone",
  "task_name",
  "queue",
  "args",
  "kwargs",
  "catch_up",
  "is_enabled",
  "jitter_seconds",
  "grace_seconds",
  "source",
  "source_hash",
  "on_unknown_outcome"
] as const satisfies ReadonlyArray<keyof Schedule & keyof ImportedSchedule>

export type DefinitionName = (typeof definitionNames)[number]

/** A stored kind may be one of another scheduler. */
export type Definition = Omit<Pick<ImportedSchedule, DefinitionName>, "kind"> & { readonly kind: string }

/** `args` and `kwargs` are canonical texts, so equal texts are equal arguments. */
export const differingNames = (one: Definition, other: Definition): ReadonlyArray<DefinitionName> =>
  definitionNames.filter((name) => one[name] !== other[name])

export const digestDefinition = (definition: Definition): string => {
  const names = definitionNames.filter((name) => name !== "on_unknown_outcome" || definition[name] !== "continue")
  return createHash("sha256").update(JSON.stringify(names.map((name) => definition[name]))).digest("base64url")
}

/** Whether the definition differs from what the source wrote last, because a person or the circuit breaker changed it. */
export const isDrifted = (schedule: Schedule): boolean =>
  schedule.imported_digest !== null && schedule.imported_digest !== digestDefinition(schedule)

/** Arguments over their limit, or copies of others that lack a part. */
export const argumentIssues = (
  { args, kwargs }: { readonly args?: string | undefined; readonly kwargs?: string | undefined }
): ReadonlyArray<Issue> => [
  ...Object.entries({ args, kwargs }).flatMap(([path, text]) =>
    Buffer.byteLength(text ?? "") > maxArgumentBytes
      ? [{ path, message: `must be at most ${maxArgumentBytes} bytes as JSON` }]
      : []
  ),
  ...lossIssues({ args, kwargs })
]

/** The owner of a new schedule, and what is wrong with it: the service itself, where the project allows that. */
export const resolveScheduler = (
  { allowed_schedulers, default_scheduler_owner }: Project,
  requested: string | null
): { readonly scheduler: string; readonly issues: ReadonlyArray<Issue> } => {
  const scheduler = requested ?? default_scheduler_owner
  const message = allowed_schedulers !== null && !allowed_schedulers.includes(scheduler)
    ? `must be one of the project's allowed_schedulers: ${allowed_schedulers.join(", ")}`
    : scheduler === serviceScheduler
    ? null
    : `${scheduler} is an engine's own scheduler: create the schedule there, and its agent reports it`
  return { scheduler, issues: message === null ? [] : [{ path: "scheduler", message }] }
}

/** Whether both tick at the same times. */
export const hasSameCadence = (one: Definition, other: Definition): boolean =>
  one.kind === other.kind && one.expression === other.expression && one.timezone === other.timezone &&
  one.jitter_seconds === other.jitter_seconds
