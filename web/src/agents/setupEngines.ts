/** Engines that an agent is published for, in the order of the set-up assistant. */
export const setupEngines = ["celery", "rq", "dramatiq", "huey", "arq", "taskiq", "bullmq", "effect-queue"] as const
export type SetupEngine = (typeof setupEngines)[number]

/** Engines whose task ids may be unique only within one broker. */
export const namespacedEngines: ReadonlySet<SetupEngine> = new Set(["rq", "bullmq", "effect-queue"])
