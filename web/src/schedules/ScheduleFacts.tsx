import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { QueueLink } from "../queues/QueueLink.tsx"
import { TaskNameLink } from "../tasks/TaskLinks.tsx"
import { Fact, Facts } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import { isServiceOwned, type Schedule } from "./states.ts"

/** What the schedule submits, who fires it, and by which rules. */
export const ScheduleFacts = ({ schedule, slug }: { readonly slug: string; readonly schedule: Schedule }) => {
  const { schedules: { catchUps, page: texts, unknownOutcomes } } = useTexts()
  const format = useFormat()
  return (
    <Facts>
      <Fact name={texts.task}>
        <TaskNameLink slug={slug} name={schedule.task_name} title={schedule.task_name} />
      </Fact>
      <Fact name={texts.engine}>{schedule.engine}</Fact>
      <Fact name={texts.queue}>
        {schedule.queue === null
          ? texts.ownQueue
          : <QueueLink slug={slug} engine={schedule.engine} name={schedule.queue} />}
      </Fact>
      <Fact name={texts.scheduler}>{schedule.scheduler}</Fact>
      <Fact name={texts.source}>{schedule.source}</Fact>
      <Fact name={texts.lastRun}>{schedule.last_run_at === null ? "–" : <Time at={schedule.last_run_at} />}</Fact>
      <Fact name={texts.runs}>{format.number(schedule.total_runs)}</Fact>
      <Fact name={texts.skipped}>
        {schedule.skipped_slots_24h === null ? "–" : format.number(schedule.skipped_slots_24h)}
      </Fact>
      {isServiceOwned(schedule)
        ? (
          <>
            <Fact name={texts.catchUp}>{catchUps[schedule.catch_up]}</Fact>
            <Fact name={texts.unknownOutcome}>{unknownOutcomes[schedule.on_unknown_outcome]}</Fact>
            <Fact name={texts.jitter}>{format.duration(schedule.jitter_seconds * 1_000)}</Fact>
            <Fact name={texts.grace}>
              {schedule.grace_seconds === null ? texts.defaultGrace : format.duration(schedule.grace_seconds * 1_000)}
            </Fact>
          </>
        )
        : schedule.external_id !== null && <Fact name={texts.externalId}>{schedule.external_id}</Fact>}
      <Fact name={texts.created}>
        <Time at={schedule.created_at} />
      </Fact>
      <Fact name={texts.changed}>
        <Time at={schedule.updated_at} />
      </Fact>
    </Facts>
  )
}
