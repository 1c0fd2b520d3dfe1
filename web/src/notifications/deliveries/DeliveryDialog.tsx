import { useQuery } from "@tanstack/react-query"
import type { Schemas } from "../../api/client.ts"
import { useRefetchInterval } from "../../api/live.ts"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { Time } from "../../ui/Time.tsx"
import { useAction } from "../../ui/useAction.ts"
import { DeliveryMark } from "./DeliveryMark.tsx"
import type { DeliveryOwner } from "./deliveryOwner.ts"

const refetchMillis = 3_000

const Attempt = ({ attempt }: { readonly attempt: Schemas["DeliveryAttempt"] }) => {
  const { deliveries: texts } = useTexts()
  const format = useFormat()
  const { duration_ms, error, number, response_body, response_code, started_at } = attempt
  return (
    <li className="grid gap-1 border-b border-line px-3 py-2 last:border-0">
      <p className="flex flex-wrap gap-x-3 gap-y-0.5">
        <span className="font-medium">{texts.attempt(format.number(number))}</span>
        <Time at={started_at} className="text-soft" />
        <span className="figures text-soft">{texts.took(format.duration(duration_ms))}</span>
        <span className="figures">
          {response_code === null ? texts.noResponse : texts.code(format.number(response_code))}
        </span>
      </p>
      {error !== null && <p className="break-words text-failure">{error}</p>}
      {response_body !== null && response_body !== "" && (
        <pre
          aria-label={texts.responseTo(format.number(number))}
          tabIndex={0}
          className="max-h-40 overflow-auto font-mono text-small break-words whitespace-pre-wrap"
        >
          {response_body}
        </pre>
      )}
    </li>
  )
}

/** One message to one channel: what it says, each attempt with its response, and sending it again. */
export const DeliveryDialog = ({ id, onClose, onResent, owner }: {
  readonly owner: DeliveryOwner
  readonly id: string
  readonly onClose: () => void
  /** With the id of the new delivery. */
  readonly onResent: (id: string) => void
}) => {
  const { close: closeText, deliveries: texts } = useTexts()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const query = useQuery({ queryKey: [...owner.key, "one", id], queryFn: () => owner.get(id), refetchInterval })
  const resend = useAction(owner.key, async () => onResent((await owner.resend(id)).id))
  const delivery = query.data
  return (
    <Dialog size="large" title={texts.delivery} onClose={onClose}>
      {(close) => (
        <div className="mt-3 grid gap-4">
          <ListFrame list={query} isEmpty={delivery === undefined} empty={null}>
            {delivery !== undefined && (
              <>
                <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <DeliveryMark delivery={delivery} />
                  <span>{texts.toChannel(delivery.channel_name, delivery.channel_type)}</span>
                  {delivery.status === "pending" && delivery.next_attempt_at !== null && (
                    <span className="text-soft">
                      {texts.nextAttempt} <Time isPlanned at={delivery.next_attempt_at} />
                    </span>
                  )}
                  {delivery.triggered_by_email !== null && (
                    <span className="text-soft">{texts.sentBy(delivery.triggered_by_email)}</span>
                  )}
                </div>
                <div className="rounded-base border border-line p-3">
                  <p className="font-medium break-words">{delivery.title}</p>
                  <p className="mt-1 break-words whitespace-pre-wrap">{delivery.text}</p>
                </div>
                {delivery.attempt_list.length === 0
                  ? <p className="text-soft">{texts.noAttempt}</p>
                  : (
                    <ol aria-label={texts.attempts} className="rounded-base border border-line">
                      {delivery.attempt_list.map((attempt) => <Attempt key={attempt.number} attempt={attempt} />)}
                    </ol>
                  )}
              </>
            )}
          </ListFrame>
          <div className="flex flex-wrap items-center justify-end gap-2">
            {delivery !== undefined && delivery.status !== "pending" && (
              <Button
                disabled={resend.isPending}
                onClick={() => resend.mutate()}
              >
                {texts.resend}
              </Button>
            )}
            <Button variant="primary" data-autofocus onClick={close}>{closeText}</Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
