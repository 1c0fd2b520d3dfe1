import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const schedules = {
  title: common.schedules,
  tabs: { schedules: common.schedules, misfires: "Misfires", schedulers: common.schedulers },
  tabsLabel: "Parts of this page",
  search: "Find a schedule",
  filter: common.status,
  allStates: common.all,
  filters: {
    active: "Active",
    paused: common.paused,
    disabled: "Disabled",
    quarantined: "In quarantine",
    failing: "Failing",
    drifted: "Drifted"
  },
  states: {
    active: common.active,
    paused: common.paused,
    disabled: "Disabled",
    quarantined: "In quarantine"
  },
  stateHints: {
    active: "Fires at its ticks.",
    paused: "Does not fire until it is resumed. Its catch-up then decides about the ticks in between.",
    disabled: "Does not fire until it is enabled. Ticks in between are not caught up.",
    quarantined: "Does not fire until its quarantine ends. Its page says why, and how to end it."
  },
  breaker: {
    counting: (failures: string, threshold: string) => `${failures} of ${threshold} failures`,
    countingHint: (threshold: string) =>
      `Its latest fires failed this many times in a row. At ${threshold}, the circuit breaker disables it.`,
    tripped: "Breaker tripped",
    trippedHint: "Too many fires failed in a row, so the circuit breaker disabled it. Enabling resets the count."
  },
  drifted: "Drifted",
  driftedHint: "Its definition differs from what its source wrote last. The next import undoes the difference.",
  columns: {
    name: common.schedule,
    fires: "Last fires",
    when: "When",
    next: "Next tick",
    state: common.status
  },
  noFires: "No fires yet",
  firesElsewhere: "reports missed runs only",
  firesElsewhereHint: "Another scheduler fires it, so svc records only its missed runs.",
  firedBy: (scheduler: string) => `by ${scheduler}`,
  strip: (count: Count, failed: string) =>
    plural(count, `Last fire, ${failed} failed`, `Last # fires, ${failed} failed`),
  noNext: "none",
  next: {
    unknown: "Unknown to its scheduler's agent",
    notFiring: "It is not firing now"
  },
  more: (count: string) => `Show ${count} more`,
  truncated: (count: string) => `The first ${count} schedules are shown. Use svc schedules list for all.`,
  none: "No schedules yet",
  noneHint: "Create one here, import a file, or connect an agent whose engine has its own scheduler.",
  noMatch: "No schedules match",
  noMatchHint: "Change the text or the status.",
  clear: common.showAll,
  families: {
    waiting: common.waiting,
    running: "Sent",
    succeeded: "Succeeded",
    failed: common.failed,
    unknown: common.outcomeUnknown,
    stopped: "Not run"
  },
  statuses: {
    pending: "Waiting for catch-up",
    accepted: "Command issued",
    delivered: "Sent to the agent",
    buffered: "Waiting for an agent",
    buffer_stale: "Outdated",
    buffer_expired: "Waited too long",
    acked_success: "Submitted",
    acked_failed: "Refused by the agent",
    failed: "Never sent",
    operator_skipped: "Resolved: did not run",
    terminal_completed: "Resolved: ran, or may have run",
    terminal_failed: common.failed,
    terminal_cancelled: "Cancelled",
    terminal_timeout: common.outcomeUnknown
  },
  statusHints: {
    pending: "A missed tick that catch-up will fire. It waits for its turn.",
    accepted: "Its command is issued but not sent yet.",
    delivered: "Its command was sent to the agent, which has not answered yet.",
    buffered: "No agent of its engine was connected. It fires when one connects.",
    buffer_stale: "While it waited for an agent, the schedule was changed, disabled or deleted. It no longer fires.",
    buffer_expired:
      "It waited for an agent longer than the server allows. It no longer fires. The server's administrator can raise the limit.",
    acked_success: "The agent submitted the task.",
    acked_failed: "The agent refused to submit the task, or could not.",
    failed: "Its command was never sent, so the task was not submitted.",
    operator_skipped: "A user found that its task did not run.",
    terminal_completed: "A user found that its task ran, or may have run.",
    terminal_failed: "It failed.",
    terminal_cancelled: "Its command was cancelled, or its agent was deleted.",
    terminal_timeout: "It was sent, but the agent did not answer in time. Whether its task was submitted is unknown."
  },
  misfires: {
    title: "Misfires",
    none: "No missed runs",
    noneHint: "A misfire is a missed run: a tick that did not fire within its grace. Each appears here with its cause.",
    schedule: common.schedule,
    tick: "Tick",
    slots: "Ticks",
    late: "Late by",
    grace: "Grace",
    cause: "Cause",
    detected: "Noticed",
    causes: {
      brain_down: "The server was not running",
      scheduler_down: "The scheduler was not running",
      no_agent: "No agent was connected",
      paused: common.paused,
      disabled: "Disabled",
      quarantined: "In quarantine",
      lease_lost: "The firing process stopped",
      clock_step: "The clock was changed, or the machine slept",
      external_scheduler_silent: "Its scheduler did not fire it",
      previous_not_started: "The previous job had not started",
      late: "Fired late"
    }
  },
  page: {
    back: "All schedules",
    facts: common.details,
    engine: common.engine,
    task: common.task,
    queue: common.queue,
    ownQueue: "the task's own",
    scheduler: "Fired by",
    source: common.source,
    lastRun: "Last tick that fired",
    runs: "Total fires",
    catchUp: "Missed ticks",
    jitter: "Jitter",
    grace: "Grace",
    defaultGrace: "server's default",
    unknownOutcome: "Unknown outcome",
    skipped: "Skipped, 24 h",
    created: "Created",
    changed: "Changed",
    externalId: "ID at its scheduler",
    values: common.arguments,
    hidden: "Your role cannot see the arguments.",
    ticks: "Next ticks",
    noTicks: "It has no ticks left.",
    inactiveTicks: "When it would fire. It is not firing now.",
    foreignTicks: "By svc's own rules. Its scheduler decides, and may differ when clocks change.",
    yours: "Your zone",
    itsOwn: (zone: string) => `Its zone, ${zone}`,
    jitterUpTo: (length: string) => `up to ${length} later`,
    bothZones: (zone: string) => `Your zone, and its: ${zone}`,
    fires: "Fires",
    noFires: "No fires yet",
    noFiresHint: "Its next tick is listed on this page. To submit its task now, trigger it.",
    foreignFires: "Another scheduler fires it, so svc has no fires of it. Its missed runs are listed below.",
    tick: "Tick",
    fired: "Fired after",
    firedHint: "From the tick to the moment when the server recorded the fire.",
    latency: "Agent took",
    outcome: common.outcome,
    command: common.command,
    openTask: common.openTheTask,
    byPerson: "triggered by a user"
  },
  catchUps: {
    skip: "Skip them",
    fire_one_missed: "Fire the newest",
    fire_all_missed: "Fire all"
  },
  unknownOutcomes: {
    continue: "Keeps firing",
    quarantine: "Goes into quarantine"
  },
  operations: {
    enable: common.enable,
    disable: common.disable,
    create: common.create,
    update: "Change",
    delete: common.delete,
    trigger: "Trigger"
  },
  schedulers: {
    title: common.schedulers,
    hint:
      "Schedulers of your engines, such as celery-beat, fire their own schedules. Agents publish these schedules and carry out your actions on them.",
    none: "No engine schedulers",
    noneHint:
      "svc fires the project's schedules itself. A scheduler appears here when an agent publishes its schedules.",
    byBrain: "The server fires.",
    programs: (firing: Count, standby: string) =>
      plural(
        firing,
        `# scheduler program is firing, ${standby} standing by.`,
        `# scheduler programs are firing, ${standby} standing by.`
      ),
    nothingFires: "Nothing is firing now.",
    name: "Scheduler",
    agent: "Published by",
    state: common.status,
    live: "Connected",
    away: "Not connected",
    can: "Can",
    listOnly: "list only",
    count: "Schedules",
    snapshot: "Last read",
    resync: "Read again",
    resyncHint:
      "Asks each connected agent for all its schedules. Schedules that are missing from the answer are deleted here.",
    requested: (count: Count, schedulers: string) =>
      plural(
        count,
        `Asked # agent, for ${schedulers}. The answer arrives within seconds.`,
        `Asked # agents, for ${schedulers}. The answers arrive within seconds.`
      ),
    noneRequested: "No connected agent publishes schedules. Start an agent's process, then try again."
  },
  actions: {
    enable: common.enable,
    disable: common.disable,
    pause: common.pause,
    resume: common.resume,
    trigger: "Trigger now",
    hints: {
      enable: "It starts with its next tick. Nothing is caught up.",
      disable: "It does not fire until it is enabled.",
      pause: "It does not fire until it is resumed. Its catch-up then decides about the ticks in between.",
      resume: "Its catch-up decides about the ticks that passed while it was paused."
    },
    triggerQuestion: (name: string) => `Submit the task of ${name} now?`,
    triggerHint: "The task runs once, now. No fire is recorded, and the next tick is kept.",
    triggerHintForeign: "The agent asks its scheduler to run the task once, now. The next run is kept.",
    deleteQuestion: common.deleteQuestion,
    deleteHint:
      "It never fires again. Its fires are kept until their retention ends. If its source still contains it, the next import creates it again.",
    deleteHintForeign: "The agent deletes it at its own scheduler. It disappears here with the next snapshot."
  },
  actionNotices: {
    enable: (name: string) => `Enable: ${name}`,
    disable: (name: string) => `Disable: ${name}`,
    pause: (name: string) => `Pause: ${name}`,
    resume: (name: string) => `Resume: ${name}`,
    trigger: (name: string) => `Trigger: ${name}`,
    delete: (name: string) => `Delete: ${name}`,
    create: (name: string) => `Create: ${name}`,
    update: (name: string) => `Change: ${name}`
  },
  operationStatuses: {
    pending: common.waiting,
    sent: "Sent to the agent",
    accepted: "Done, not published yet",
    succeeded: common.succeededTask,
    failed: common.failed,
    indeterminate: common.outcomeUnknown,
    expired: "Never sent"
  },
  operationHints: {
    pending: "The command waits for the agent.",
    sent: "The agent has the command but has not answered yet.",
    accepted: "The agent has done it. Its next publication shows the effect.",
    succeeded: "The agent has done it.",
    failed: "The schedule is unchanged.",
    indeterminate: "It may have been done. Check the scheduler itself before you repeat it.",
    expired: "The schedule is unchanged. Repeat it when the agent is connected."
  },
  foreign: {
    owner: (scheduler: string) =>
      `${scheduler} owns and fires this schedule. Actions here are requests to the agent that publishes it.`,
    can: (operations: string) => `It supports: ${operations}.`,
    nothing:
      "It accepts no requests now: no connected agent publishes it, or its scheduler can only list. Change it where it is defined."
  },
  form: {
    create: "New schedule",
    createTitle: "New schedule",
    editTitle: common.editTitle,
    ownHint: "svc fires it.",
    foreignHint: "The engine's own scheduler fires it. Its agent is asked to create it.",
    fields: {
      name: common.name,
      engine: common.engine,
      scheduler: "Scheduler",
      kind: common.kind,
      expression: "Expression",
      timezone: common.timeZone,
      task_name: common.task,
      queue: "Queue (optional)",
      args: "Positional arguments",
      kwargs: common.namedArguments,
      catch_up: "Missed ticks",
      on_unknown_outcome: "Unknown outcome",
      jitter_seconds: "Jitter",
      grace_seconds: "Grace (optional)",
      is_enabled: "Initial status"
    },
    kinds: { cron: "Cron", interval: "Interval", clocked: "Once" },
    expressionHints: {
      cron: "Minute, hour, day, month, weekday: 30 9 * * MON-FRI",
      interval: "A duration: 30 s, 5 min, 1 h 30 min",
      clocked: "A date and time: 2027-12-24T18:00"
    },
    enabledChoices: { true: "Enabled", false: "Disabled" },
    valuesHint: "JSON. All digits of numbers are kept.",
    invalid: {
      args: "Enter a JSON array, such as [42].",
      kwargs: "Enter a JSON object, such as {\"day\": 1}.",
      json: "The arguments are not valid JSON. Correct them, then save.",
      lossy: "Some values are shown only in part: a secret is masked, or a part was left out. Enter the whole values."
    },
    preview: "Preview",
    previewHint: "Enter an expression to see when it fires.",
    noAgent: (engine: string, wait: string) =>
      `No connected agent runs ${engine}. Each run waits ${wait} for one; after that it is missed.`,
    noConsumer: (queue: string) =>
      `No online worker takes from the queue ${queue}. Its tasks wait there until one does.`,
    changes: "Changes",
    noChange: "Nothing has changed yet.",
    cadenceHint: "The new cadence starts with the next tick after you save. Earlier ticks are not caught up.",
    driftHint: (source: string) =>
      `Its definition comes from ${source}. The next import undoes your changes; until then it is shown as drifted.`
  },
  recovery: {
    title: "Quarantine",
    meaning: "It does not fire until the quarantine ends. Its catch-up then decides about the ticks in between.",
    reasons: {
      definition_invalid: "In quarantine: its definition cannot be evaluated",
      two_owners: "In quarantine: two agents publish it differently",
      outcome_unknown: "In quarantine: the outcome of a fire is unknown"
    },
    steps: {
      definition_invalid:
        "Edit the schedule, or import it, with a definition that can be evaluated. That ends the quarantine, and it begins with its next tick.",
      two_owners:
        "Make both definitions equal, or stop one of the agents. The quarantine ends by itself when one definition is left.",
      outcome_unknown:
        "Find out whether the task of the fire ran, for example in the engine's own log. Then enter it here. The fire is never repeated."
    },
    resolve: "Resolve",
    resolveFire: "Resolve the fire",
    resolveHint: "Find out whether its task ran, then enter it here. The fire is never repeated.",
    resolveTitle: (tick: string) => `Resolve the fire of ${tick}`,
    resolveExplained:
      "The fire was sent, but its outcome is unknown. Your answer is final, and nothing is sent again. To run the task now, trigger the schedule.",
    commandIs: (status: string) => `Its command: ${status}. If that changes before you answer, the answer is refused.`,
    question: "What did you find out?",
    choices: { yes: "The task ran, or may have run", no: "The task did not run" },
    choiceHints: {
      yes: "The fire becomes resolved as run.",
      no: "The fire becomes resolved as not run."
    },
    disableAfter: "Also disable the schedule",
    disableAfterHint: "Otherwise it fires again once no other fire needs to be resolved.",
    evidenceFireHint: "It has no command and is waiting. Resolve it so that it is not sent.",
    legacy: "Schedulers without fencing",
    legacySummary: "For fires that svc did not record or send, and for schedulers that know no fencing numbers",
    evidence: "A fire that svc did not record, or did not send",
    evidenceHint:
      "A finished command of this schedule whose fire is not recorded, or a recorded fire without a command. Your answer makes the fire final: its tick never fires again.",
    resolveEvidence: "Resolve evidence",
    fireId: "Fire ID",
    evidenceKind: "Evidence",
    evidenceKinds: { command: "A command whose fire is not recorded", fire: "A recorded fire without a command" },
    evidenceId: "ID of the command, or of the fire's row",
    grant: "Grant for a scheduler without fencing",
    grantHint:
      "Such a scheduler cannot tell an old view from a new one. With the grant, it may fire this schedule until the next action on the schedule.",
    granted: "The grant is given.",
    notGranted: "No such scheduler may fire it.",
    giveGrant: "Give the grant",
    revokeGrant: "Revoke the grant",
    quiesced: "No replica of that scheduler is firing now, and each has read the schedules again",
    quiescedHint: "Otherwise a tick may fire twice."
  },
  import: {
    open: "Import",
    title: "Import schedules",
    hint:
      "A snapshot contains the schedules of one source, such as a Git repository. It is compared first, and nothing is written until you import it. An import is all or nothing.",
    file: common.file,
    text: "Snapshot",
    textHint:
      "JSON: a list of schedules, or an object with schedules, mode and source_filter. For YAML use svc schedules import.",
    invalid: "Enter a JSON list of schedules.",
    mode: "Mode",
    modes: { upsert: "Insert and update", replace: "Replace the source" },
    modeHints: {
      upsert: "Nothing is deleted.",
      replace: "Schedules of the source that are missing from the snapshot are deleted."
    },
    source: common.source,
    sourceHint: "The source of all schedules of the snapshot. Replace needs it.",
    compare: "Compare",
    submit: "Import",
    refused: "The snapshot is refused",
    difference: "What the import would change",
    nothing: "Nothing would change.",
    counts: (inserted: string, updated: string, deleted: string) =>
      `${inserted} new, ${updated} changed, ${deleted} deleted`,
    unchanged: (count: string) => `${count} unchanged`,
    kinds: { inserted: "new", updated: "changed", deleted: "deleted" },
    question: "Import this snapshot?",
    questionHint: "Changes that users made to these schedules are undone. Changed cadences start with the next tick.",
    done: "Imported",
    adminsOnly: "Only admins import schedules",
    adminsOnlyHint: "Ask a project admin, or ask for the role."
  },
  dst: {
    gap: "moved",
    gapHint: "Clocks go forward: this local time does not exist that day, so it fires at the first moment after it.",
    overlap: "twice",
    overlapHint: "Clocks go back: this local time comes twice that day.",
    next: (moment: string) => `Next change of clocks: ${moment}.`
  }
}
