import { useTexts } from "../../i18n/Language.tsx"
import { StateShape } from "../../ui/StateMark.tsx"
import type { Delivery } from "./deliveryOwner.ts"

/** A pending one that was attempted is between two attempts. */
const shapeOf = ({ attempts, status }: Delivery) =>
  status === "sent"
    ? "success"
    : status === "failed"
    ? "failure"
    : status === "suppressed"
    ? "revoked"
    : attempts > 0
    ? "retry"
    : "pending"

/** The status of a delivery as shape and word. */
export const DeliveryMark = ({ delivery }: { readonly delivery: Delivery }) => {
  const { deliveries: texts } = useTexts()
  const { status } = delivery
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap" title={texts.statusHints[status]}>
      <StateShape state={shapeOf(delivery)} />
      <span className={status === "failed" ? "text-failure" : undefined}>{texts.statuses[status]}</span>
    </span>
  )
}
