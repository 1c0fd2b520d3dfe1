import { Schema } from "effect"
import { text } from "./Text.ts"

/** Identifies a task in a project: the engine's name and the engine's own id of the task. */
export const TaskKey = Schema.Struct({ engine: text(40, 1), task_id: text(200, 1) })
export type TaskKey = typeof TaskKey.Type
