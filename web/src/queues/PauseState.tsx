import type { Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Time } from "../ui/Time.tsx"

/** That a queue is paused, by whom, why and until when. */
export const PauseState = ({ pause }: { readonly pause: Schemas["QueuePause"] }) => {
  const { queues: texts } = useTexts()
  const { paused_by, reason, resume_at, status } = pause
  return (
    <span>
      <strong className="font-medium text-stopped">{texts.pauseStatuses[status]}</strong>
      {` · ${reason ?? texts.pausedInEngine}`}
      {typeof paused_by?.name === "string" && ` · ${paused_by.name}`}
      {resume_at !== null && (
        <>
          {` · ${texts.resumes} `}
          <Time at={resume_at} isPlanned />
        </>
      )}
    </span>
  )
}
