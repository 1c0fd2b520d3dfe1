import { Args } from "@effect/cli"
import { TrendWindow } from "../../domain/tasks/Rollup/Trends.ts"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, engine, issue, json, optionalChoice, optionalInteger, project, text } from "../program/Options.ts"

const queue = argument("queue", "Name of the queue.")

export const definitions = {
  list: define("List queues, with the number of waiting tasks.", { project, json }),
  show: define("Show a queue: its depth over time, when it will be empty, and how many workers hold its target.", {
    queue,
    window: optionalChoice("window", TrendWindow.literals, "How far back the depth is shown: 24h unless given."),
    engine,
    project,
    json
  }),
  pause: define("Pause a queue: no worker takes its tasks.", {
    queue,
    reason: text("reason", "Why; members of the project see it."),
    minutes: optionalInteger("minutes", "Resume it after so many minutes; else it is paused until someone resumes it."),
    engine,
    ...issue
  }),
  resume: define("Resume a paused queue.", { queue, engine, ...issue }),
  target: define("Set within how many seconds the tasks of a queue should start.", {
    queue,
    seconds: Args.integer({ name: "seconds" }).pipe(Args.withDescription("The target; 0 removes it.")),
    engine,
    project
  })
}

export const queues = makeGroup(
  "queues",
  "The queues of a project.",
  bindCommands(definitions, () => import("./handlers/queues.ts"))
)
