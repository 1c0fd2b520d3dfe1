import { common } from "./common.ts"

export const overview = {
  title: common.overview,
  window: "Window",
  overTime: "Tasks over time",
  windows: {
    "1h": "1 hour",
    "6h": "6 hours",
    "24h": "24 hours",
    "72h": "3 days",
    "7d": "7 days",
    "30d": "30 days",
    "90d": "90 days"
  },
  throughput: "Completed tasks",
  durations: common.runTime,
  waits: common.queueTime,
  waitsShort: common.queueTime,
  perHour: (count: string) => `${count} per hour`,
  failureRate: common.failureRate,
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  inTable: "Show as a table",
  asChart: "Show as a chart",
  time: common.time,
  keysOfChart: "The left and right arrow keys show the values of each time.",
  openKey: "Enter opens the tasks of that time.",
  noData: "No data in this window",
  unfinished: "in progress",
  p50: "p50",
  p95: "p95",
  p99: "p99",
  compare: "Compare with last week",
  comparedWithLastWeek: "compared with last week",
  weekAgo: (series: string) => `${series}, last week`,
  marks: {
    title: "Marks",
    hide: "Hide on all charts",
    show: "Show on all charts",
    kinds: {
      deploy: "Deploy",
      command: common.command,
      rule: common.rule,
      missed_run: "Missed run",
      maintenance: "Maintenance"
    }
  },
  topFailing: "Most failures",
  topGroups: "Failure groups with open tasks",
  noGroups: "No group has failed in this window",
  queues: common.queues,
  depth: common.depth,
  noFailing: "No task failed in this window",
  noQueues: "No agent has reported a queue yet",
  name: common.name,
  workersOnline: "Workers online",
  agentsOnline: "Agents online",
  ofTotal: common.ofTotal,
  dismiss: "Dismiss",
  firstSteps: {
    title: "First steps",
    done: "Done",
    steps: {
      connect: {
        name: "Connect an agent",
        hint:
          "It reports the tasks of your engine. Choose the engine, copy the lines, and watch the first event arrive.",
        action: "Connect"
      },
      task: {
        name: "See a task",
        hint: "The list shows each task as soon as an agent has reported it.",
        action: "Open the list"
      },
      subscribe: {
        name: "Subscribe to alerts",
        hint: "You get one message when tasks begin to fail, and one when they recover.",
        action: "Subscribe"
      },
      invite: {
        name: "Invite a colleague",
        hint: "Colleagues see the same tasks, and approve what needs a second person.",
        action: common.invite
      },
      factor: {
        name: "Turn on the second factor",
        hint: "Your account then needs a code from your phone besides the password.",
        action: "Set up"
      }
    }
  },
  demo: {
    label: "This demo",
    intro: "This shop is a demo. In one minute:",
    failures: "retry many tasks at once",
    alert: "see what is wrong now",
    approval: "decide what Mara asks for",
    rule: "try a rule on past tasks"
  },
  groupBy: "Group by",
  groupings: { queue: "By queue", name: "By task name", worker: common.byWorker },
  groupTitles: { queue: "Completed by queue", name: "Completed by task name", worker: "Completed by worker" },
  otherGroups: "All others",
  beyondWorkers: (most: string) =>
    `“All others” contains the workers beyond the first ${most} names of the last 8 days.`,
  noQueue: "Without a queue"
}
