import { useTexts } from "../i18n/Language.tsx"
import { TaskLink } from "../tasks/TaskLinks.tsx"
import { Traceback } from "../tasks/Traceback.tsx"
import { Panel } from "../ui/Panel.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import type { FailureGroupDetail } from "./queries.ts"

/** The exception and the traceback of the latest failure of a group. */
export const GroupSample = ({ group, slug }: { readonly slug: string; readonly group: FailureGroupDetail }) => {
  const { failures: texts } = useTexts()
  const sample = group.sample_task
  const exception = sample?.exception ?? group.sample_exception
  return (
    <Panel
      title={texts.sample}
      actions={sample !== null && (
        <TaskLink slug={slug} engine={sample.engine} taskId={sample.task_id} className={linkClass.text}>
          {texts.showSample}
        </TaskLink>
      )}
    >
      <p className="px-4 py-3 font-mono text-[12px] break-words whitespace-pre-wrap text-failure">
        {exception ?? texts.noException}
      </p>
      {sample !== null && sample.traceback !== null && sample.traceback.trim() !== exception?.trim() && (
        <Traceback text={sample.traceback} />
      )}
      {sample === null && <p className="px-4 pb-3 text-soft">{texts.sampleDeleted}</p>}
    </Panel>
  )
}
