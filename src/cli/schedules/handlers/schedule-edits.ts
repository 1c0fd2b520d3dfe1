import { Console, Effect, Option, Schema } from "effect"
import {
  canonicalize,
  type JsonInput,
  parse,
  ParseFailure,
  toCanonicalText
} from "../../../domain/kernel/CanonicalJson.ts"
import { formatDuration } from "../../../domain/kernel/Duration.ts"
import { CreateScheduleRequest, type SchedulePublic } from "../../../domain/schedules/Schedule.ts"
import { PreviewRequest, type Unserved } from "../../../domain/schedules/Schedule/Preview.ts"
import { givenOf } from "../../io/DecodeInput.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { show } from "../../remote/Handlers.ts"
import { clientSending, type Remote } from "../../remote/Remote.ts"
import type { editDefinitions, fields } from "../schedules.ts"
import { formatNext, pathOf } from "./schedules.ts"

const readJson = (option: string, given: Option.Option<string>): Effect.Effect<JsonInput | undefined, CliError> =>
  Effect.suspend(() => {
    if (Option.isNone(given)) return Effect.succeed(undefined)
    const node = parse(given.value)
    return node instanceof ParseFailure
      ? Effect.fail(new CliError({ usage: true, message: `${option} is not JSON` }))
      : Effect.succeed(toCanonicalText(node))
  })

/** Fields that are not given stay out of the request; arguments keep all their digits. */
const bodyOf = (given: OptionsOf<typeof fields>, others: { readonly [field: string]: JsonInput | undefined }) =>
  Effect.gen(function*() {
    return canonicalize({
      ...others,
      kind: Option.getOrUndefined(given.kind),
      timezone: Option.getOrUndefined(given.timezone),
      queue: Option.getOrUndefined(given.queue),
      args: yield* readJson("--args", given.args),
      kwargs: yield* readJson("--kwargs", given.kwargs),
      catch_up: Option.getOrUndefined(given.catchUp),
      jitter_seconds: Option.getOrUndefined(given.jitterSeconds),
      grace_seconds: Option.getOrUndefined(given.graceSeconds)
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

const describeUnserved = (schedule: SchedulePublic, { wait_seconds, what }: Unserved): string =>
  what === "engine"
    ? `no connected agent runs ${schedule.engine}: each run waits ${formatDuration(wait_seconds ?? 0)} for one, ` +
      "and is missed then"
    : `no online worker takes from the queue ${schedule.queue}: its tasks wait there until one does`

/** The schedule is created, because its agent may connect later. A mistyped engine or queue shows now. */
const warnOfUnserved = ({ api, slug }: Remote, schedule: SchedulePublic) => {
  const { engine, expression, kind, queue, timezone } = schedule
  return Schema.decodeUnknown(PreviewRequest)({ kind, expression, timezone, count: 1, engine, queue }).pipe(
    Effect.flatMap((payload) => api.schedules.preview({ path: { slug }, payload })),
    Effect.flatMap(({ unserved }) =>
      unserved === null ? Effect.void : Console.error(escapeText(describeUnserved(schedule, unserved)))
    ),
    Effect.ignore // the schedule is created
  )
}

export const handlers: HandlersOf<typeof editDefinitions> = {
  add: show(function*(remote, options) {
    const { disabled, engine, expression, name, task } = options
    const kind = Option.orElseSome(options.kind, () => "cron" as const)
    const body = yield* bodyOf({ ...options, kind }, {
      name,
      expression,
      engine,
      task_name: task,
      is_enabled: !disabled
    })
    const api = yield* clientSending(remote, body)
    const response = yield* api.schedules.create({ path: { slug: remote.slug }, payload: replaced, withResponse: true })
    yield* warnOfUnserved(remote, response[0])
    return response
  }, formatNext("added")),
  edit: show(function*(remote, options) {
    const { engine, expression, schedule, task } = options
    const body = yield* bodyOf(options, givenOf({ expression, engine, task_name: task }))
    if (body === "{}") {
      return yield* new CliError({ usage: true, message: "say what to change, such as --expression '0 4 * * *'" })
    }
    const path = yield* pathOf(remote, schedule)
    const api = yield* clientSending(remote, body)
    return yield* api.schedules.update({ path, payload: { overlap_policy: null }, withResponse: true })
  }, formatNext("changed"))
}
