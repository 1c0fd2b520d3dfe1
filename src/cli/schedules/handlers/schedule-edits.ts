import { Effect, Option, Schema } from "effect"
import {
  canonicalize,
  type JsonInput,
  parse,
  ParseFailure,
  toCanonicalText
} from "../../../domain/kernel/CanonicalJson.ts"
import { CreateScheduleRequest } from "../../../domain/schedules/Schedule.ts"
import { CliError } from "../../program/Explain.ts"
import { clientSending, printAnswer, withRemote } from "../../remote/Remote.ts"
import { formatNext, type OfSchedule, pathOf, type Printing } from "./schedules.ts"

type Optional<A> = Option.Option<A>

/** What `add` and `edit` have in common; fields that are not given stay out of the request. */
interface Fields {
  readonly kind: Optional<string>
  readonly timezone: Optional<string>
  readonly queue: Optional<string>
  readonly args: Optional<string>
  readonly kwargs: Optional<string>
  readonly catchUp: Optional<string>
  readonly jitterSeconds: Optional<number>
  readonly graceSeconds: Optional<number>
}

const readJson = (option: string, given: Optional<string>): Effect.Effect<JsonInput | undefined, CliError> =>
  Effect.suspend(() => {
    if (Option.isNone(given)) return Effect.succeed(undefined)
    const node = parse(given.value)
    return node instanceof ParseFailure
      ? Effect.fail(new CliError({ usage: true, message: `${option} is not JSON` }))
      : Effect.succeed(toCanonicalText(node))
  })

/** Arguments keep all their digits. */
const bodyOf = (fields: Fields, others: { readonly [field: string]: JsonInput | undefined }) =>
  Effect.gen(function*() {
    return canonicalize({
      ...others,
      kind: Option.getOrUndefined(fields.kind),
      timezone: Option.getOrUndefined(fields.timezone),
      queue: Option.getOrUndefined(fields.queue),
      args: yield* readJson("--args", fields.args),
      kwargs: yield* readJson("--kwargs", fields.kwargs),
      catch_up: Option.getOrUndefined(fields.catchUp),
      jitter_seconds: Option.getOrUndefined(fields.jitterSeconds),
      grace_seconds: Option.getOrUndefined(fields.graceSeconds)
    })
  })

/** The derived client requires a payload; `clientSending` sends the body instead. */
const replaced = Schema.decodeSync(CreateScheduleRequest)({
  name: "-",
  engine: "x",
  kind: "cron",
  expression: "-",
  task_name: "-"
})

interface Addition extends Printing, Fields {
  readonly name: string
  readonly expression: string
  readonly engine: string
  readonly task: string
  readonly disabled: boolean
}

export const add = (options: Addition) =>
  withRemote(options.project, (remote) =>
    Effect.gen(function*() {
      const { disabled, engine, expression, name, task } = options
      const kind = Option.orElseSome(options.kind, () => "cron")
      const body = yield* bodyOf({ ...options, kind }, {
        name,
        expression,
        engine,
        task_name: task,
        is_enabled: !disabled
      })
      const api = yield* clientSending(remote, body)
      const answer = yield* api.schedules.create({
        path: { slug: remote.slug },
        payload: replaced,
        withResponse: true
      })
      yield* printAnswer(answer, options.json, formatNext("added"))
    }))

interface Change extends OfSchedule, Fields {
  readonly expression: Optional<string>
  readonly engine: Optional<string>
  readonly task: Optional<string>
}

export const edit = (options: Change) =>
  withRemote(options.project, (remote) =>
    Effect.gen(function*() {
      const body = yield* bodyOf(options, {
        expression: Option.getOrUndefined(options.expression),
        engine: Option.getOrUndefined(options.engine),
        task_name: Option.getOrUndefined(options.task)
      })
      if (body === "{}") {
        return yield* new CliError({ usage: true, message: "say what to change, such as --expression '0 4 * * *'" })
      }
      const path = yield* pathOf(remote, options.schedule)
      const api = yield* clientSending(remote, body)
      const answer = yield* api.schedules.update({ path, payload: { overlap_policy: null }, withResponse: true })
      yield* printAnswer(answer, options.json, formatNext("changed"))
    }))
