import { FileSystem } from "@effect/platform"
import { Console, Effect, type Option, Stream } from "effect"
import { Refused } from "../Explain.ts"
import { withRemote } from "../Remote.ts"
import { decodeTaskQuery, type TaskFilters } from "../TaskQuery.ts"
import { callUnbuffered } from "../UnbufferedCall.ts"

const formats = ["csv", "json", "xlsx"] as const

/** What the derived client reads in place of the file. */
const noTasks = () => Response.json({ items: [], next_cursor: null })

export const run = ({ fields, file, project, ...filters }: TaskFilters & {
  readonly file: string
  readonly fields: Option.Option<string>
  readonly project: Option.Option<string>
}) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const format = formats.find((format) => file.endsWith(`.${format}`))
    if (format === undefined) {
      return yield* new Refused({ usage: true, message: `the file's name must end in .csv, .json or .xlsx, not '${file}'` })
    }
    if (yield* fs.exists(file)) return yield* new Refused({ message: `${file} exists; name a new file` })
    const urlParams = yield* decodeTaskQuery(filters, { fields, format })
    yield* withRemote(project, (remote) =>
      Effect.gen(function*() {
        const answer = yield* callUnbuffered(remote, noTasks, (api) => api.tasks.list({ path: { slug: remote.slug }, urlParams }))
        const response = yield* Effect.mapError(answer, () => new Refused({ message: `what answers at ${remote.access.url} is no svc` }))
        yield* Stream.run(response.stream, fs.sink(file, { flag: "wx" })).pipe(
          // a part of a file looks like a whole one
          Effect.tapError(() => Effect.ignore(fs.remove(file))),
          Effect.catchTags({
            BadArgument: ({ message }) => new Refused({ message }),
            SystemError: ({ message }) => new Refused({ message })
          })
        )
        if (response.headers["x-svc-truncated"] !== "true") return
        yield* Console.error(
          `${file} does not have all matching tasks, only the newest: it stops at the brain's SVC_TASKS_EXPORT_MAX_ROWS. ` +
            "Go on with --until, or narrow the filter"
        )
      }))
  })
