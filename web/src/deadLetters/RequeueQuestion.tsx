import { api, type Schemas, unwrap } from "../api/client.ts"
import { useCommandNotice } from "../commands/following.ts"
import { useTexts } from "../i18n/Language.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"

/** Asks before a dead letter is put back, has its agent do it, and says what became of it. */
export const RequeueQuestion = ({ agentId, engine, letter, onClose, onRequeued, slug }: {
  readonly slug: string
  readonly engine: string
  /** The agent that listed the dead letter: another one may have another broker. */
  readonly agentId: string
  readonly letter: Schemas["DeadLetter"]
  readonly onClose: () => void
  readonly onRequeued: () => void
}) => {
  const { deadLetters: texts } = useTexts()
  const openNotice = useCommandNotice(slug)
  const name = letter.task_name || letter.task_id
  const requeue = async () => {
    const command = await unwrap(
      api.POST("/api/v1/projects/{slug}/commands/requeue-dead-letter", {
        params: { path: { slug } },
        body: { agent_id: agentId, engine, task_id: letter.task_id }
      })
    )
    void openNotice(texts.requeueNotice(name))([command]).then(onRequeued)
  }
  return (
    <FormDialog title={texts.requeueQuestion(name)} submit={texts.requeue} onClose={onClose} onSubmit={requeue}>
      <p>{texts.requeueHint(letter.queue)}</p>
    </FormDialog>
  )
}
