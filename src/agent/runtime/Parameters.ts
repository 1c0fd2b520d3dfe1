/** Reads a command's target and parameters (agents' protocol, section 5.2). */
import { Data } from "effect"
import { createHash } from "node:crypto"
import { type JsonInput, type JsonObject, type JsonValue, toValue } from "../../domain/kernel/CanonicalJson.ts"
import type { RetryRequest, RunAt, TaskCall } from "./Engine.ts"

type Values = { readonly [name: string]: JsonValue }

/** A parameter is missing or invalid; the sentence says which one. */
export class BadCommand extends Data.TaggedError("BadCommand")<{ readonly message: string }> {}

export const isRecord = (value: JsonValue | undefined): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isList = (value: JsonValue | undefined): value is ReadonlyArray<JsonValue> => Array.isArray(value)

/** Its methods throw `BadCommand`. */
export class Parameters {
  readonly values: Values
  private readonly target: Values

  constructor(target: JsonObject, parameters: JsonObject) {
    // The casts: an object's value is a record.
    this.target = toValue(target) as Values
    this.values = toValue(parameters) as Values
  }

  get filter(): Values {
    const { filter } = this.values
    return isRecord(filter) ? filter : {}
  }

  /** The engine named by the command, null for none (section 5.1). */
  engine(usesFilter: boolean): string | null {
    const filter = usesFilter ? this.filter.engine : undefined
    const named = filter ?? this.values.engine ?? this.target.engine ?? null
    if (named === null) return null
    if (typeof named !== "string") throw new BadCommand({ message: "The command's engine is not a string." })
    const target = this.target.engine
    if (filter === undefined && typeof target === "string" && target !== named) {
      throw new BadCommand({ message: `The command's target names the engine ${target}, its parameters ${named}.` })
    }
    return named
  }

  /** The scheduler named by the command, null for none (section 6.2). */
  get scheduler(): string | null {
    const named = this.optionalText("scheduler", "scheduler") ?? null
    const { scheduler } = this.target
    if (typeof scheduler === "string" && scheduler !== "" && scheduler !== named) {
      throw new BadCommand({
        message: `The command's target names the scheduler ${scheduler}, its parameters ${named}.`
      })
    }
    return named
  }

  /** A required text: a parameter, or one of the target's members. */
  text(name: string, ...ofTarget: ReadonlyArray<string>): string {
    const found = this.optionalText(name, ...ofTarget)
    if (found === undefined) throw new BadCommand({ message: `The command has no ${name}.` })
    return found
  }

  optionalText(name: string, ...ofTarget: ReadonlyArray<string>): string | undefined {
    for (const value of [this.values[name], ...ofTarget.map((member) => this.target[member])]) {
      if (value === undefined || value === null || value === "") continue
      if (typeof value !== "string") throw new BadCommand({ message: `The command's ${name} is not a string.` })
      return value
    }
    return undefined
  }

  wholeNumber(name: string, fallback: number, min: number, max: number): number {
    const value = this.values[name] ?? fallback
    if (typeof value === "number" && Number.isInteger(value)) return Math.min(max, Math.max(min, value))
    throw new BadCommand({ message: `The command's ${name} is not a whole number.` })
  }

  flag(name: string): boolean {
    return this.values[name] === true
  }

  /** `eta` or `eta_seconds`, whichever is set. */
  when(): RunAt {
    const { eta, eta_seconds } = this.values
    return {
      ...(typeof eta === "number" ? { eta } : {}),
      ...(typeof eta_seconds === "number" ? { eta_seconds } : {})
    }
  }

  call(nameOf: "name" | "task_name"): TaskCall {
    const { priority } = this.values
    const queue = this.optionalText("queue")
    return {
      task_name: this.text(nameOf, nameOf),
      args: listOf(this.values.args, "args") ?? [],
      kwargs: recordOf(this.values.kwargs, "kwargs") ?? {},
      ...(queue === undefined ? {} : { queue }),
      ...(typeof priority === "number" ? { priority } : {}),
      ...this.when()
    }
  }

  /** The UUID under which a schedule's fire is submitted: the same for each command of the fire (section 6.1). */
  submissionOfFire(): Pick<TaskCall, "submission_id"> {
    const fire = this.optionalText("fire_id")
    if (fire === undefined) return {}
    return { submission_id: UUID.test(fire) ? fire.toLowerCase() : uuidOfText(fire) }
  }

  retry(): RetryRequest {
    const { override_args, override_kwargs, priority } = this.values
    const name = this.optionalText("task_name", "task_name")
    return {
      task_id: this.text("task_id", "task_id", "id"),
      ...(name === undefined ? {} : { task_name: name }),
      ...overridesOf(override_args, override_kwargs),
      ...(typeof priority === "number" || typeof priority === "string" ? { priority } : {}),
      ...this.when()
    }
  }
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** For ids of other brains, which may be any text. */
const uuidOfText = (text: string): string =>
  createHash("sha256").update(text).digest("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")

/** Both overrides or neither: half of a call's arguments is not a call (section 5.4). */
export const overridesOf = (
  args: JsonValue | undefined,
  kwargs: JsonValue | undefined
): Pick<RetryRequest, "overrides"> => {
  const list = listOf(args, "override_args")
  const record = recordOf(kwargs, "override_kwargs")
  if (list === undefined && record === undefined) return {}
  if (list !== undefined && record !== undefined) return { overrides: { args: list, kwargs: record } }
  throw new BadCommand({
    message:
      "A retry takes override_args and override_kwargs together, or neither; send the other one too, empty if need be."
  })
}

const listOf = (value: JsonValue | undefined, name: string): ReadonlyArray<JsonInput> | undefined => {
  if (value === undefined || value === null) return undefined
  if (isList(value)) return value
  throw new BadCommand({ message: `The command's ${name} is not a list.` })
}

const recordOf = (value: JsonValue | undefined, name: string): { readonly [name: string]: JsonInput } | undefined => {
  if (value === undefined || value === null) return undefined
  if (isRecord(value)) return value
  throw new BadCommand({ message: `The command's ${name} is not an object.` })
}
